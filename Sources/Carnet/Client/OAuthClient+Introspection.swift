import CarnetDescriptors
public import CarnetProtocol

extension OAuthClient {
    /// Asks the server what it knows of a token (RFC 7662). Nothing is kept: each call asks.
    ///
    /// - Parameter hint: What kind of token it is: `access_token` or `refresh_token`.
    /// - Throws: `OAuthError` at step `introspection`.
    public func introspect(_ token: Secret, hint: String? = nil) async throws -> Introspection {
        try await introspect(token, hint: hint, at: try await connection.provider(), within: bounds)
    }

    nonisolated func introspect(
        _ token: Secret, hint: String?, at provider: Provider, within bounds: CredentialBounds
    ) async throws -> Introspection {
        let request = try Introspection.request(
            token, hint: hint, at: provider, as: registration, random: random, now: clock.now)
        let response = try await exchanger.send(request, within: bounds)
        guard Introspection.isSigned(response) else {
            return try Introspection(judging: response, to: request, from: provider, now: providerClock.now)
        }
        return try await verifying { [providerClock] verification throws(OAuthError) in
            try Introspection(
                judging: response, to: request, from: provider, now: providerClock.now, verifyingBy: verification)
        }
    }

    /// The tokens with their end, where only the introspection endpoint says it. Without an answer the end stays unknown:
    /// that is no reason to lose the tokens.
    nonisolated func findingEnd(
        of tokens: TokenSet, at provider: Provider, within bounds: CredentialBounds
    ) async -> TokenSet {
        guard provider.expirySource == .introspection, tokens.expiresAt == nil,
            let answer = try? await introspect(
                tokens.accessToken, hint: "access_token", at: provider, within: bounds)
        else { return tokens }
        var tokens = tokens
        tokens.expiresAt = answer.isActive ? answer.expiresAt : nil
        return tokens
    }
}

extension Session {
    /// What the provider knows of the access token (RFC 7662), which is not renewed for it.
    ///
    /// - Throws: `OAuthError` at step `introspection`; as `storedTokens()`.
    public func introspect() async throws -> Introspection {
        let connection = try await stored().connection
        return try await client.introspect(
            connection.tokens.accessToken, hint: "access_token", at: try await client.provider(for: connection),
            within: try await client.bounds(of: connection))
    }
}
