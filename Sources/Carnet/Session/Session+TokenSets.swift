import CarnetDescriptors
import CarnetProtocol

extension Session {
    /// The session of a further token set of the same sign-in, e.g. of the user's tokens if this session has the app's.
    /// It is refreshed and revoked separately, and ends with this session.
    ///
    /// - Parameter name: A name of the descriptor's `token.response.token_sets`.
    /// - Returns: `nil` if the sign-in returned no such tokens.
    /// - Throws: `TokenStoreError`; `OAuthError` if the descriptor has no such token set.
    public func tokenSet(_ name: String) async throws -> Session? {
        guard client.provider.token.response.tokenSets.contains(name) else {
            throw OAuthError(
                .configuration, .unsupported,
                "\(client.provider.name) has no token set \"\(name.quotable(limit: 60))\"",
                descriptorKey: "token.response.token_sets")
        }
        return try await client.session(of: key.of(tokenSet: name))
    }
}

extension ConnectionKey {
    /// No id of a provider has this character.
    private static let mark: Character = "#"

    /// The key of a further token set of this account.
    func of(tokenSet name: String) -> ConnectionKey {
        ConnectionKey(provider: "\(providerID)\(Self.mark)\(name)", account: account)
    }

    private var providerID: Substring { provider.prefix { $0 != Self.mark } }

    /// The key of the sign-in's own tokens.
    package var main: ConnectionKey { ConnectionKey(provider: String(providerID), account: account) }

    /// The name of a further token set; `nil` for the sign-in's own tokens.
    var tokenSet: String? { provider.contains(Self.mark) ? String(provider.drop { $0 != Self.mark }.dropFirst()) : nil }
}

extension OAuthClient {
    func tokenSets(of key: ConnectionKey) -> [ConnectionKey] {
        key.tokenSet == nil ? provider.token.response.tokenSets.names.map { key.of(tokenSet: $0) } : []
    }

    /// Saves the further token sets of a sign-in, each as a connection of its own.
    func saveTokenSets(of response: TokenResponse, besides main: Connection) async throws {
        for set in response.tokenSets {
            var connection = main
            connection.key = main.key.of(tokenSet: set.name)
            connection.tokens = TokenSet(set.value, requested: [], now: providerClock.now)
            connection.profile = nil
            let saved = connection
            try await withLockIfFree(on: saved.key) { [self] _ in
                _ = try await store.save(saved, replacing: nil)
                unsaved[saved.key] = nil
            }
        }
    }

    /// Hands the values of the sign-in to its further token sets.
    func shareValues(of session: Session, with sets: [Named<TokenResponse>]) async throws {
        guard !sets.isEmpty else { return }
        let values = try await session.connectionValues()
        for set in sets { try await self.session(of: session.key.of(tokenSet: set.name))?.saveValues(values) }
    }
}
