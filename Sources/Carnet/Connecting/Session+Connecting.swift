import CarnetDescriptors
public import CarnetProtocol

extension Session {
    /// The values that were captured besides the tokens. A value has the name that templates use, e.g.
    /// `token.instance_url`. Some are secret.
    ///
    /// - Throws: `TokenStoreError`; `OAuthError` of kind `sessionEnded` if there is none.
    public func values() async throws -> [String: Secret] { try await connectionValues().mapValues { Secret($0.text) } }

    /// The same, each with whether it may be shown.
    package func connectionValues() async throws -> [String: ConnectionValue] {
        try await stored().connection.values ?? [:]
    }

    /// Derives and looks up the descriptor's connection values, and saves them. A sign-in does it automatically. Call
    /// it again after a failure, or to choose again.
    ///
    /// - Parameter choosing: Called if a lookup finds several candidates.
    /// - Throws: `OAuthError` at step `connection` that names the lookup; earlier results are kept.
    /// `TokenStoreError`.
    public func connect(choosing: ConnectionChooser? = nil) async throws {
        let provider = try await client.cache.provider()
        let rules = provider.connection
        guard !rules.isEmpty else { return }
        // Checked before the provider is asked: the result must be storable.
        try await client.store.prepareToSave(key)
        var connection = try await validConnection()
        func requests() -> ConnectionRequest {
            client.requests(at: provider, with: ConnectionValues(of: connection), tokens: connection.tokens)
        }
        var underived = rules.derive.names
        /// Derives what needs no value of the lookups that are still to be made.
        func derive(before lookups: ArraySlice<Named<LookupRules>>) throws {
            var awaited = Set(lookups.flatMap(\.references))
            underived = try underived.filter { name in
                if rules.derive[name]?.template.references.contains(where: awaited.contains) == true {
                    awaited.insert(TemplateReference(.connection, name))
                    return true
                }
                if let value = try requests().derived(name) { connection.merge(["connection.\(name)": value]) }
                return false
            }
        }
        try derive(before: rules.lookups.items[...])
        try await saveValues(connection.values ?? [:])
        for (index, lookup) in rules.lookups.items.enumerated() {
            let made = requests()
            let (incoming, request) = try await client.send(with: connection) {
                try made.call(lookup.value.call, key: "connection.lookups.\(lookup.name)")
            }
            let choice = try ConnectionChoice(
                validating: incoming, to: request, of: lookup, where: made.conditions(lookup.value))
            guard let choice else {
                connection.drop(lookup.references)
                try await saveValues([:], without: lookup.references)
                try derive(before: rules.lookups.items[(index + 1)...])
                continue
            }
            var value = try choice.value(by: lookup.value.choice)
            if value == nil { value = try await choosing?(choice) }
            guard let value, let found = choice.values(choosing: value) else {
                throw OAuthError(
                    .connection, .choiceNeeded,
                    "the lookup \"\(lookup.name)\" found \(choice.candidates.count) candidates, and none was chosen",
                    descriptorKey: "connection.lookups.\(lookup.name).choose")
            }
            connection.merge(found)
            try await saveValues(found)
            try derive(before: rules.lookups.items[(index + 1)...])
        }
        // The remaining values use a value that no key provides.
        for name in underived { _ = try requests().derived(name) }
        if !rules.derive.isEmpty, !rules.lookups.isEmpty { try await saveValues(connection.values ?? [:]) }
        for (index, call) in rules.onConnect.enumerated() {
            let made = requests()
            let (incoming, request) = try await client.send(with: connection) {
                try made.call(call, key: "connection.on_connect.\(index)")
            }
            try call.validate(incoming, to: request)
        }
    }

    /// Saves values with the stored tokens.
    func saveValues(_ values: [String: ConnectionValue], without dropped: [TemplateReference] = []) async throws {
        guard !values.isEmpty || !dropped.isEmpty else { return }
        try await client.store.withLock(on: key) { [client, key] in
            guard let loaded = try await client.loaded(key) else { return }
            var connection = loaded.newest
            connection.merge(values)
            connection.drop(dropped)
            _ = try await client.store.save(connection, replacing: loaded.stored.revision)
            client.unsaved[key] = nil
        }
    }
}
