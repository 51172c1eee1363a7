import CarnetDescriptors
public import CarnetProtocol
import Foundation

extension OAuthClient {
    /// An access token of the client's own (RFC 6749, section 4.4), kept in memory until it ends.
    ///
    /// - Parameters:
    ///   - scopes: What to ask for; none leaves the choice to the server.
    ///   - resource: The resource servers that the token is for (RFC 8707).
    /// - Throws: `OAuthError` at step `clientCredentials`; of kind `missingClientSecret` for a public client.
    public func clientCredentials(scopes: [String] = [], resource: [String] = []) async throws -> TokenSet {
        let key = ClientTokenCache.Key(scopes: scopes, resources: resource)
        let margin = TimeInterval(provider.refreshMargin)
        return try await clientTokens.tokens(for: key, margin: margin, clock: clock) { [self] in
            let provider = try await connection.provider()
            try refuseBoundTokens(at: provider, for: .clientCredentials)
            let request = try TokenRequest.clientCredentials(
                scopes: scopes, resources: resource, at: provider, as: registration, random: random,
                now: clock.now)
            let response = try TokenResponse(judging: try await exchanger.send(request), to: request, from: provider)
            var tokens = TokenSet(response, requested: scopes, now: clock.now)
            // RFC 6749, section 4.4.3: there is nobody to refresh for, and nobody who signed in.
            tokens.refreshToken = nil
            tokens.idToken = nil
            return tokens
        }
    }

    /// - Throws: `OAuthError` of kind `unsupported` where tokens are bound to the key of a sign-in: there is none.
    nonisolated func refuseBoundTokens(at provider: Provider, for step: OAuthError.Step) throws(OAuthError) {
        guard registration.usesDPoP(at: provider) else { return }
        throw OAuthError(
            step,
            .unsupported,
            "a token of the client's own is not bound to a key here",
            descriptorKey: "client.dpop_bound_access_tokens",
            hint: "use a registration without dpop_bound_access_tokens"
        )
    }
}
