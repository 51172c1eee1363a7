public import CarnetProtocol

extension OAuthClient {
    /// Exchanges one token for another (RFC 8693). Nothing of it is stored.
    ///
    /// - Throws: `OAuthError` at step `tokenExchange`.
    public func exchange(
        _ exchange: TokenExchange
    ) async throws -> (tokens: TokenSet, type: TokenExchange.TokenType) {
        let provider = try await connection.provider()
        let request = try exchange.request(at: provider, as: registration, random: random, now: clock.now)
        let answer = try await exchanger.send(request)
        return try exchange.judge(answer, to: request, from: provider, now: clock.now)
    }
}
