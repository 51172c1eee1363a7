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
        let dpopKey = connection.tokens.isSenderConstrained ? connection.dpopKey : nil
        connection.values = try await client.connecting(
            ConnectionValues(of: connection), of: connection.tokens, at: provider,
            within: try await client.bounds(of: connection), provedBy: dpopKey, choosing: choosing
        ) { [self] in try await saveValues($0, without: $1) }
        for (index, call) in rules.onConnect.enumerated() {
            let made = client.requests(at: provider, with: ConnectionValues(of: connection), tokens: connection.tokens)
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
