import CarnetDescriptors
import CarnetProtocol

extension OAuthClient {
    /// The servers that may receive this client's requests without an account.
    var bounds: CredentialBounds { .client(registration) }

    /// The servers that may receive an account's requests. A record without a binding (of an older version) is bound
    /// to the provider as it is now, if its issuer is still the provider's.
    func bounds(of connection: Connection) async throws -> CredentialBounds {
        let provider = try await self.cache.provider()
        let binding =
            if let known = connection.binding { known } else { try await self.cache.binding() }
        let issuer = connection.issuer.flatMap { provider.shared.acceptsIssuer(ofStoredSignIn: $0) ? nil : $0 }
        return bounds.of(binding, at: provider, account: connection.key.account, otherIssuer: issuer)
    }

    /// A record with its binding; a new one if it has none. The next save stores it.
    func binding(_ stored: StoredConnection) async throws -> StoredConnection {
        guard stored.connection.binding == nil else { return stored }
        var stored = stored
        stored.connection.binding = try await cache.binding()
        return stored
    }
}

extension ProviderStage {
    /// The origins of resources that only the caller names.
    func origins(onlyIn declared: [Resource]) -> [String] {
        let own = shared.resourcePlaces
        return declared.map(\.target).filter { !$0.isAt(anyOf: own) }.map(\.origin)
    }
}

extension Session {
    /// The connection for a request, with a valid token and a binding.
    func usableConnection() async throws -> Connection { try await bound(try await validConnection()) }

    /// Binds a record without a binding and saves it. If the store fails, the next use binds it again.
    private func bound(_ connection: Connection) async throws -> Connection {
        guard connection.binding == nil else { return connection }
        let binding = try await client.cache.binding()
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
    /// Whether this binding allows no server for the authorization server's credentials that an older one forbids.
    func isBound(like old: Connection) -> Bool { Self.isWithin(self.binding?.servers, old.binding?.servers) }

    /// Whether this binding allows no server at all that an older one forbids.
    func isWhollyBound(like old: Connection) -> Bool {
        isBound(like: old) && Self.isWithin(self.binding?.resources, old.binding?.resources)
    }

    private static func isWithin(_ places: [String]?, _ older: [String]?) -> Bool {
        guard let places, let older else { return true }
        return Set(places).isSubset(of: older)
    }
}
