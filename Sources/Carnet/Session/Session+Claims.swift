package import CarnetFoundation
package import CarnetProtocol

extension OAuthClient {
    /// An account's session and record as stored; `nil` if there are no tokens.
    ///
    /// - Throws: `TokenStoreError`; `OAuthError` if the tokens were issued to another registration.
    package func current(_ account: String) async throws -> (session: Session, connection: Connection)? {
        let key = ConnectionKey(provider: provider.id.rawValue, account: account)
        guard let connection = try await store.load(key)?.connection else { return nil }
        try checkOwner(of: connection)
        return (session(of: connection), connection)
    }

    /// Whether tokens expire soon and can be refreshed.
    package func isRefreshDue(_ tokens: TokenSet) -> Bool {
        tokens.refreshToken != nil && tokens.isExpiring(within: refreshMargin, at: providerClock.now)
    }

    /// Whether tokens have expired and cannot be refreshed, so that the provider says nothing about the person any more.
    package func areUsedUp(_ tokens: TokenSet) -> Bool {
        tokens.refreshToken == nil && tokens.isExpiring(within: 0, at: providerClock.now)
    }
}

/// For a site that decides about each request by who the person is now.
extension Session {
    /// All claims about the person: those of the ID token; over them those of the profile as the provider sent it; and over
    /// these the claims that the descriptor maps, of every request of the profile.
    ///
    /// The e-mail address and its verification come from one place: the profile as the descriptor maps it, else the ID token.
    ///
    /// - Throws: `TokenStoreError`; `OAuthError` of kind `sessionEnded` if the tokens are gone.
    package func claims(of profile: Profile) async throws -> JSONObject {
        let token = try await stored().connection.tokens.idToken
        let signed = try token.map { try IDToken(storedAfterValidation: $0).claims } ?? JSONObject()
        var claims = signed
        let body = profile.raw[client.provider.profile.root]?.object ?? JSONObject()
        for member in body.members { claims[member.name] = member.value }
        for claim in profile.claims { claims[claim.name] = claim.value }
        for name in ["email", "email_verified"] {
            let isMapped = client.provider.profile.claims.contains { $0.name == name && !$0.value.isEmpty }
            claims[name] = profile["email"] != nil ? profile[name] : isMapped ? signed[name] : Optional.none
        }
        return claims
    }

    /// Keeps when the session was used last.
    ///
    /// - Throws: As `note(_:subject:)`.
    package func note(seenAt time: Date) async throws {
        try await update { connection in
            connection.browser?.seenAt = time
            return connection.browser != nil
        }
    }

    /// Saves claims with the tokens that they were read with, unless there are newer tokens.
    ///
    /// - Throws: As `claims(of:)`.
    package func note(_ claims: KeptClaims) async throws {
        try await update { connection in
            guard connection.browser != nil, connection.browser?.claims != claims,
                connection.tokens.issuedAt == claims.issuedAt
            else { return false }
            connection.browser?.claims = claims
            return true
        }
    }
}
