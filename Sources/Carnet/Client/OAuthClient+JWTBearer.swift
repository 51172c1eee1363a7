public import CarnetProtocol
import Foundation

extension OAuthClient {
    /// An access token for an assertion (RFC 7523, section 2.1). One for an assertion of the client's own is kept in memory
    /// until it ends; nothing else is stored.
    ///
    /// - Throws: `OAuthError` at step `jwtBearer`.
    public func tokens(for grant: JWTBearerGrant) async throws -> TokenSet {
        guard case .signed(let subject) = grant.assertion else { return try await exchange(grant) }
        let key = ClientTokenCache.Key(
            grant: .assertion(subject: subject), scopes: grant.scopes, resources: grant.resource)
        let margin = TimeInterval(provider.refreshMargin)
        return try await clientTokens.tokens(for: key, margin: margin, clock: clock) { [self] in
            ClientToken(tokens: try await exchange(grant))
        }.tokens
    }

    private func exchange(_ grant: JWTBearerGrant) async throws -> TokenSet {
        let provider = try await connection.provider()
        try refuseBoundTokens(at: provider, for: .jwtBearer)
        let request = try grant.request(at: provider, as: registration, random: random, now: clock.now)
        return try grant.judge(try await exchanger.send(request), to: request, from: provider, now: clock.now)
    }
}
