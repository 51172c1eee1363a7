public import CarnetDescriptors
public import CarnetProtocol
import Foundation
public import HTTPTypes

extension OAuthClient {
    /// An access token of the client's own (RFC 6749, section 4.4), kept in memory until it ends.
    ///
    /// One that is bound to a key is good with that alone: give the registration a `dpopKey`, or use
    /// `callWithOwnToken(_:scopes:resource:method:headers:body:declared:)`.
    ///
    /// - Parameters:
    ///   - scopes: What to ask for; none leaves the choice to the server.
    ///   - resource: The resource servers that the token is for (RFC 8707).
    /// - Throws: `OAuthError` at step `clientCredentials`; of kind `missingClientSecret` for a public client.
    public func clientCredentials(scopes: [String] = [], resource: [String] = []) async throws -> TokenSet {
        try await ownToken(ClientTokenCache.Key(scopes: scopes, resources: resource)).tokens
    }

    /// Calls a URL of a declared host with a token of the client's own, and once more with a new one after a 401.
    ///
    /// - Parameters:
    ///   - scopes: As for `clientCredentials(scopes:resource:)`.
    ///   - declared: Resources whose origins the token may go to, besides those of the descriptor.
    /// - Throws: `OAuthError` at step `clientCredentials` or `resource`.
    public func callWithOwnToken(
        _ url: WebURL,
        scopes: [String] = [],
        resource: [String] = [],
        method: HTTPRequest.Method = .get,
        headers: [Named<String>] = [],
        body: [UInt8] = [],
        declared: [Resource] = []
    ) async throws -> IncomingResponse {
        let key = ClientTokenCache.Key(scopes: scopes, resources: resource)
        let provider = try await connection.provider()
        func call(with token: ClientToken) async throws -> IncomingResponse {
            let (response, request) = try await send(
                provedBy: token.dpopKey, accessToken: token.tokens.accessToken
            ) {
                try ResourceRequest.make(
                    url, method: method, headers: headers, body: body, tokens: token.tokens, at: provider,
                    declared: declared)
            }
            try ResourceRequest.judge(response, to: request)
            return response
        }
        do {
            return try await call(with: try await ownToken(key))
        } catch let error as OAuthError where error.kind == .unauthorized {
            await clientTokens.forget(key)
            return try await call(with: try await ownToken(key))
        }
    }

    private func ownToken(_ key: ClientTokenCache.Key) async throws -> ClientToken {
        let margin = TimeInterval(provider.refreshMargin)
        return try await clientTokens.tokens(for: key, margin: margin, clock: clock) { [self] in
            let provider = try await connection.provider()
            let dpopKey = try registration.keyForTokens(at: provider, random: random)?.sealed
            let (answer, request) = try await send(provedBy: dpopKey) {
                try TokenRequest.clientCredentials(
                    scopes: key.scopes, resources: key.resources, at: provider, as: registration, random: random,
                    now: clock.now)
            }
            let response = try TokenResponse(judging: answer, to: request, from: provider)
            var tokens = TokenSet(response, requested: key.scopes, now: clock.now)
            // RFC 6749, section 4.4.3: there is nobody to refresh for, and nobody who signed in.
            tokens.refreshToken = nil
            tokens.idToken = nil
            return ClientToken(tokens: tokens, dpopKey: dpopKey)
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
