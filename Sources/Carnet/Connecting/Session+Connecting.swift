import CarnetDescriptors
public import CarnetProtocol

extension Session {
    /// What the sign-in brought beside the tokens, by reference, e.g. `token.instance_url`.
    ///
    /// - Throws: `TokenStoreError`; `OAuthError` of kind `sessionEnded` if there is none.
    public func values() async throws -> [String: ConnectionValue] {
        try await stored().connection.values ?? [:]
    }

    /// Derives and looks up what the descriptor keeps beside the tokens, and keeps it. A sign-in does it by itself; do it
    /// again after a failure, or to choose anew.
    ///
    /// - Parameter choosing: Is asked where a lookup finds several candidates.
    /// - Throws: `OAuthError` at step `connection` that names the lookup; what came before it is kept. `TokenStoreError`.
    public func connect(choosing: ConnectionChooser? = nil) async throws {
        let provider = try await client.connection.provider()
        let rules = provider.connection
        guard !rules.isEmpty else { return }
        // Before the provider is asked for what could not be kept.
        try await client.store.prepareToSave(key)
        var connection = try await usableConnection()
        func requests() -> ConnectionRequest {
            client.requests(at: provider, with: HeldValues(of: connection), tokens: connection.tokens)
        }
        for rule in rules.derive.names {
            connection.keep(["connection.\(rule)": try requests().derived(rule)])
        }
        try await keep(connection.values ?? [:])
        for lookup in rules.lookups.items {
            let made = requests()
            let (answer, request) = try await client.send(with: connection) {
                try made.call(lookup.value.call, key: "connection.lookups.\(lookup.name)")
            }
            let choice = try ConnectionChoice(judging: answer, to: request, of: lookup)
            var value = try choice.value(by: lookup.value.choice)
            if value == nil { value = try await choosing?(choice) }
            guard let value, choice.candidates.contains(where: { $0.value.isSameBytes(as: value) }) else {
                throw OAuthError(
                    .connection,
                    .choiceNeeded,
                    "nobody chose one of the \(choice.candidates.count) candidates for \"\(lookup.name)\"",
                    descriptorKey: "connection.lookups.\(lookup.name).choose",
                    hint: "the tokens are kept; choose, and connect again"
                )
            }
            let found = ["connection.\(lookup.name)": ConnectionValue(value)]
            connection.keep(found)
            try await keep(found)
        }
        for (index, call) in rules.onConnect.enumerated() {
            let made = requests()
            let (answer, request) = try await client.send(with: connection) {
                try made.call(call, key: "connection.on_connect.\(index)")
            }
            try ResourceRequest.judge(answer, to: request)
        }
    }

    /// Saves values beside the tokens that are stored now.
    private func keep(_ values: [String: ConnectionValue]) async throws {
        guard !values.isEmpty else { return }
        try await client.store.withLock(on: key) { [client, key] in
            guard let held = try await client.held(key) else { return }
            var connection = held.newest
            connection.keep(values)
            _ = try await client.store.save(connection, replacing: held.stored.revision)
            client.unsaved[key] = nil
        }
    }
}
