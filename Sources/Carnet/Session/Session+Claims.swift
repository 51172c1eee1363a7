package import CarnetFoundation
package import CarnetProtocol

extension OAuthClient {
    /// An account's session and record, with refreshed tokens if they expire and can be refreshed. It reads the store once.
    ///
    /// While the provider cannot be reached, it is the record as stored: the person has not signed out.
    ///
    /// - Parameter refreshing: Whether to refresh tokens that expire.
    /// - Returns: Also the failure of a refresh that did not end the session; `nil` if there are no tokens.
    /// - Throws: `TokenStoreError`; `OAuthError` if the session has ended, or the tokens were issued to another registration.
    package func current(
        _ account: String, refreshing: Bool
    ) async throws -> (session: Session, connection: Connection, failure: OAuthError?)? {
        let key = ConnectionKey(provider: provider.id.rawValue, account: account)
        guard let stored = try await store.load(key) else { return nil }
        let connection = stored.connection
        try checkOwner(of: connection)
        let session = session(of: connection)
        guard refreshing, connection.tokens.refreshToken != nil,
            connection.tokens.isExpiring(within: refreshMargin, at: providerClock.now)
        else { return (session, connection, nil) }
        do {
            return (session, try await session.validConnection(), nil)
        } catch let error as OAuthError where error.disposition != .signInAgain {
            return (session, connection, error)
        }
    }
}

/// For a site that decides about each request by who the person is now.
extension Session {
    /// All claims about the person: those of the ID token; over them those of the profile as the provider sent it; and over
    /// these the claims that the descriptor maps, of every request of the profile.
    ///
    /// - Throws: `TokenStoreError`; `OAuthError` of kind `sessionEnded` if the tokens are gone.
    package func claims(of profile: Profile) async throws -> JSONObject {
        let token = try await stored().connection.tokens.idToken
        var claims = try token.map { try IDToken(storedAfterValidation: $0).claims } ?? JSONObject()
        let body = profile.raw[client.provider.profile.root]?.object ?? JSONObject()
        for member in body.members { claims[member.name] = member.value }
        for claim in profile.claims { claims[claim.name] = claim.value }
        return claims
    }

    /// Saves claims with the tokens that they were read with, unless there are newer tokens.
    ///
    /// - Throws: As `claims(of:)`.
    package func note(_ claims: KeptClaims) async throws {
        try await update { connection in
            guard connection.browser != nil, connection.tokens.issuedAt == claims.issuedAt else { return false }
            connection.browser?.claims = claims
            return true
        }
    }
}
