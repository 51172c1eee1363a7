public import CarnetProtocol

extension OAuthClient {
    /// Exchanges one token for another (RFC 8693). Nothing is stored. For the tokens of a session use
    /// `Session.exchange(_:)`, which sends them only to the servers of its sign-in.
    ///
    /// If tokens are bound to a key, the new one is bound to the registration's `dpopKey`. The key of a sign-in is
    /// only for the sign-in's tokens.
    ///
    /// - Throws: `OAuthError` at step `tokenExchange`; of kind `unsupported` if the registration needs such a key and
    /// has none.
    public func exchange(
        _ exchange: TokenExchange
    ) async throws -> (tokens: TokenSet, type: TokenExchange.TokenType) {
        try await self.exchange(exchange, within: bounds)
    }

    func exchange(
        _ exchange: TokenExchange, within bounds: CredentialBounds
    ) async throws -> (tokens: TokenSet, type: TokenExchange.TokenType) {
        let provider = try await providerWithoutAccount()
        guard registration.dpopKey != nil || !registration.usesDPoP(at: provider) else {
            throw OAuthError(
                .tokenExchange, .unsupported, "the new token would be bound to a key that is not kept",
                descriptorKey: "client.dpop_bound_access_tokens", hint: "set the registration's dpopKey")
        }
        let dpopKey = try registration.keyForTokens(at: provider, random: random)?.encoded
        let (incoming, request) = try await send(within: bounds, provedBy: dpopKey) {
            try exchange.request(in: context(at: provider))
        }
        return try exchange.validate(incoming, to: request, from: provider, now: clock.now)
    }
}

extension Session {
    /// Exchanges a token of this session for another (RFC 8693), at the servers of its sign-in.
    ///
    /// - Parameter exchange: Builds the exchange from the access token, which is valid now.
    /// - Throws: as `tokens()`, and as `OAuthClient.exchange(_:)`.
    public func exchange(
        _ exchange: @Sendable (Secret) -> TokenExchange
    ) async throws -> (tokens: TokenSet, type: TokenExchange.TokenType) {
        let connection = try await validConnection()
        return try await client.exchange(
            exchange(connection.tokens.accessToken), within: try await client.bounds(of: connection))
    }
}
