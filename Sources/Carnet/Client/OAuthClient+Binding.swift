import CarnetDescriptors
import CarnetProtocol

extension OAuthClient {
    /// The servers that may receive this client's requests without an account.
    var bounds: CredentialBounds { .client(registration, at: provider) }

    /// The servers that may receive an account's requests.
    func bounds(of connection: Connection) async throws -> CredentialBounds {
        let provider = try await self.cache.provider()
        let issuers = [connection.issuer, connection.binding.issuer].compactMap { $0 }
        let issuer = issuers.first { !provider.shared.acceptsIssuer(ofStoredSignIn: $0) }
        return bounds.hiding { connection.secrets }
            .of(connection.binding, at: provider, account: connection.key.account, otherIssuer: issuer)
    }
}

extension ProviderStage {
    /// The origins of resources that only the caller names.
    func origins(onlyIn declared: [Resource]) -> [String] {
        let own = shared.resourcePlaces
        return declared.map(\.target).filter { !$0.isAt(anyOf: own) }.map(\.origin)
    }
}

extension Connection {
    /// Whether this binding allows no server for the authorization server's credentials that an older one forbids.
    func isBound(like old: Connection) -> Bool {
        Self.isWithin(self.binding.servers, old.binding.servers)
            && self.binding.issuer.isSameBytes(as: old.binding.issuer)
    }

    /// Whether this binding allows no server at all that an older one forbids.
    func isWhollyBound(like old: Connection) -> Bool {
        isBound(like: old) && Self.isWithin(self.binding.resources, old.binding.resources)
    }

    private static func isWithin(_ places: [String], _ older: [String]) -> Bool { Set(places).isSubset(of: older) }
}
