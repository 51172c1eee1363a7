import CarnetDescriptors
import CarnetProtocol
import Foundation
import HTTPTypes

/// The common part of the grants without a user.
extension OAuthClient {
    /// A token from memory, or a new one.
    func ownToken(_ key: ClientTokenCache.Key) async throws -> ClientToken {
        let margin = TimeInterval(provider.refresh.margin)
        return try await clientTokens.tokens(for: key, margin: margin, clock: clock) { [self] in
            switch key.grant {
            case .clientCredentials:
                try await requestOwnToken(scopes: key.scopes) { [registration, random, providerClock] provider in
                    try TokenRequest.clientCredentials(
                        scopes: key.scopes, resources: key.resources, at: provider, as: registration, random: random,
                        now: providerClock.now)
                }
            case .assertion(let subject):
                try await requestToken(
                    for: JWTBearerGrant(subject: subject?.text, scopes: key.scopes, resource: key.resources))
            }
        }
    }

    /// A new token for an assertion.
    func requestToken(for grant: JWTBearerGrant) async throws -> ClientToken {
        try await requestOwnToken(scopes: grant.scopes) { [registration, random, providerClock] provider in
            try grant.request(at: provider, as: registration, random: random, now: providerClock.now)
        }
    }

    /// A new token, with the key that it is bound to if this client's tokens are.
    private func requestOwnToken(
        scopes: [String], _ make: @Sendable (Provider) throws -> PreparedRequest
    ) async throws -> ClientToken {
        let provider = try await connection.provider()
        let dpopKey = try registration.keyForTokens(at: provider, random: random)?.sealed
        let (answer, request) = try await send(within: bounds, provedBy: dpopKey) { try make(provider) }
        let tokens = try TokenSet(
            judgingGrantWithoutUser: answer, to: request, from: provider, requested: scopes, now: clock.now)
        return ClientToken(tokens: tokens, dpopKey: dpopKey, binding: try await connection.binding())
    }

    /// Calls a URL of a declared host with a token.
    func call(
        _ url: WebURL,
        with token: ClientToken,
        method: HTTPRequest.Method,
        headers: [Named<String>],
        body: [UInt8],
        declared: [Resource]
    ) async throws -> IncomingResponse {
        let provider = try await connection.provider()
        let (response, request) = try await send(
            within: bounds.of(token.binding, at: provider).declaring(provider.origins(onlyIn: declared)),
            provedBy: token.dpopKey, accessToken: token.tokens.accessToken
        ) {
            try ResourceRequest.make(
                url, method: method, headers: headers, body: body, tokens: token.tokens, at: provider,
                declared: declared)
        }
        try ResourceRequest.judge(response, to: request, unauthorized: provider.api.unauthorized)
        return response
    }

    /// Calls a URL with a token from memory, and once more with a new one after a 401.
    func call(
        _ url: WebURL,
        withTokenFor key: ClientTokenCache.Key,
        method: HTTPRequest.Method,
        headers: [Named<String>],
        body: [UInt8],
        declared: [Resource]
    ) async throws -> IncomingResponse {
        func attempt() async throws -> IncomingResponse {
            try await call(
                url, with: try await ownToken(key), method: method, headers: headers, body: body, declared: declared)
        }
        do {
            return try await attempt()
        } catch let error as OAuthError where error.kind == .unauthorized {
            await clientTokens.forget(key)
            return try await attempt()
        }
    }
}
