import CarnetDescriptors
import CarnetProtocol

extension OAuthClient {
    /// Where the requests of this client may go that belong to no account.
    nonisolated var bounds: CredentialBounds { .client(registration) }

    /// Where an account's requests may go. One that was stored before sign-ins were bound is bound to the provider as it is
    /// now, if its issuer still is the provider's.
    nonisolated func bounds(of connection: Connection) async throws -> CredentialBounds {
        let provider = try await self.connection.provider()
        let binding =
            if let known = connection.binding { known } else { try await self.connection.binding() }
        let issuer = connection.issuer.flatMap { provider.acceptsIssuer(ofStoredSignIn: $0) ? nil : $0 }
        return bounds.of(binding, at: provider, account: connection.key.account, otherIssuer: issuer)
    }

    /// A record with its binding, new if it has none: what is saved in its place has it then.
    nonisolated func binding(_ stored: StoredConnection) async throws -> StoredConnection {
        guard stored.connection.binding == nil else { return stored }
        var stored = stored
        stored.connection.binding = try await connection.binding()
        return stored
    }
}

extension Provider {
    /// The origins of resources that the caller names and the descriptor does not: the caller answers for those.
    func origins(onlyIn declared: [Resource]) -> [String] {
        let own = resourcePlaces
        return declared.map(\.url).filter { !$0.isAt(anyOf: own) }.map(\.origin)
    }
}

extension Session {
    /// The connection that a request is made with: its token is valid now, and it knows where it may go.
    func usableConnection() async throws -> Connection { try await bound(try await validConnection()) }

    /// Binds a connection that was stored before sign-ins were bound, and keeps that: this is its first use since. What
    /// the store cannot take is bound again at the next use.
    private func bound(_ connection: Connection) async throws -> Connection {
        guard connection.binding == nil else { return connection }
        let binding = try await client.connection.binding()
        var bound = connection
        bound.binding = binding
        try? await client.store.withLock(on: key) { [client, key] in
            guard let held = try await client.held(key), held.unsaved == nil, held.stored.connection.binding == nil
            else { return }
            var newest = held.stored.connection
            newest.binding = binding
            _ = try await client.store.save(newest, replacing: held.stored.revision)
        }
        return bound
    }
}

extension Connection {
    /// Whether no credential of an older sign-in could go to other servers with this one.
    func isBound(like old: Connection) -> Bool { Self.isWithin(binding?.servers, old.binding?.servers) }

    /// Whether nothing at all that an older sign-in brought could go elsewhere with this one.
    func isWhollyBound(like old: Connection) -> Bool {
        isBound(like: old) && Self.isWithin(binding?.resources, old.binding?.resources)
    }

    private static func isWithin(_ places: [String]?, _ older: [String]?) -> Bool {
        guard let places, let older else { return true }
        return Set(places).isSubset(of: older)
    }
}
