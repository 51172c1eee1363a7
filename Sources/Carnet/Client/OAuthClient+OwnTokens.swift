import CarnetDescriptors
import CarnetFoundation
public import CarnetProtocol
public import HTTPTypes

/// Tokens without a user.
extension OAuthClient {
    /// An access token for the client itself or for an assertion. It is kept in memory until its expiry and not in the
    /// store; a token for an assertion of another party is not kept at all.
    ///
    /// A token that is bound to a key needs that key: set the registration's `dpopKey`, or use `send(_:body:with:declared:)`.
    ///
    /// - Throws: `OAuthError` at step `clientCredentials` or `jwtBearer`; of kind `missingClientSecret` for a public client.
    public func tokens(for grant: ClientGrant) async throws -> TokenSet { try await token(for: grant).tokens }

    /// Sends a request to a declared host with a token of a grant without a user. After a 401, it requests a new token,
    /// if it can, and sends the request once more.
    ///
    /// - Parameters:
    ///   - request: Its URL is absolute: `HTTPRequest(url:)`.
    ///   - declared: Resources whose origins may receive the token, besides those of the descriptor.
    ///   - limit: As for `Session.send(_:body:declared:accepting:retryingWithin:asking:)`.
    /// - Throws: `OAuthError` at step `clientCredentials`, `jwtBearer` or `resource`; `CancellationError`.
    public func send(
        _ request: HTTPRequest, body: [UInt8] = [], with grant: ClientGrant, declared: [Resource] = [],
        retryingWithin limit: Duration? = nil
    ) async throws -> IncomingResponse {
        let call = try ResourceCall(request, body: body, declared: declared)
        return try await retrying(call.method, within: limit) { try await self.send(call, with: grant) }
    }

    /// The same, once, and passes the body of a successful response on while it arrives.
    ///
    /// - Throws: As that function.
    package func send(
        _ request: HTTPRequest, body: [UInt8], with grant: ClientGrant, accepting statuses: Range<Int>,
        streaming stream: ResponseStream?
    ) async throws -> IncomingResponse {
        var call = try ResourceCall(request, body: body, declared: [], accepting: statuses)
        call.stream = stream
        return try await send(call, with: grant)
    }

    /// The descriptor's resources whose URLs are known without an account. It requests a token if a URL takes a value of its
    /// response.
    ///
    /// - Throws: As `tokens(for:)`.
    package func resourceMap(with grant: ClientGrant) async throws -> ResourceMap {
        let needsToken = provider.lateResources.contains(where: \.resource.needsToken)
        let known = needsToken ? try await token(for: grant).known : ConnectionValues()
        return ResourceMap(of: filled(provider.withoutMetadata, with: known))
    }

    private func send(_ call: ResourceCall, with grant: ClientGrant) async throws -> IncomingResponse {
        do {
            return try await send(call, with: try await token(for: grant))
        } catch let error as OAuthError where error.kind == .unauthorized {
            guard let key = ClientTokenCache.Key(grant) else { throw error }
            await clientTokens.forget(key)
            return try await send(call, with: try await token(for: grant))
        }
    }

    private func token(for grant: ClientGrant) async throws -> ClientToken {
        guard let key = ClientTokenCache.Key(grant) else { return try await requestToken(for: grant) }
        let margin = TimeInterval(provider.refresh.margin)
        return try await clientTokens.tokens(for: key, margin: margin, clock: clock) { [self] in
            try await requestToken(for: grant)
        }
    }

    /// A new token, with the key that it is bound to if this client's tokens are.
    private func requestToken(for grant: ClientGrant) async throws -> ClientToken {
        let subject = ClientTokenCache.Key(grant).map { Pauses.Subject.grant($0) }
        try checkPause(of: subject, step: grant.step)
        return try await pausing(subject) { [self] in
            let provider = try await providerWithoutAccount()
            let dpopKey = try registration.keyForTokens(at: provider, random: random)?.encoded
            let (incoming, request) = try await send(within: bounds, provedBy: dpopKey) {
                try grant.request(in: context(at: provider))
            }
            let response = try TokenResponse(validating: incoming, to: request, from: provider)
            let tokens = TokenSet(ofGrantWithoutUser: response, requested: grant.scopes, now: clock.now)
            let received = ConnectionValues(tokens: tokens, values: response.values)
            let binding = try await cache.binding()
            let values =
                provider.canSignIn
                ? response.values.merging(derived(from: received, at: provider.discovered)) { _, new in new }
                // Nobody signs in, so the values are the client's own.
                : try await connecting(
                    received, of: tokens, at: provider.discovered, within: bounds.of(binding, at: provider),
                    provedBy: tokens.isSenderConstrained ? dpopKey : nil, choosing: nil, saving: { _, _ in })
            return ClientToken(tokens: tokens, values: values, dpopKey: dpopKey, binding: binding)
        }
    }

    private func send(_ call: ResourceCall, with token: ClientToken) async throws -> IncomingResponse {
        let provider = filled(try await cache.provider(), with: token.known)
        return try await send(
            call, tokens: token.tokens, at: provider, within: bounds.of(token.binding, at: provider),
            provedBy: token.dpopKey)
    }
}

extension ClientToken {
    fileprivate var known: ConnectionValues { ConnectionValues(tokens: tokens, values: values) }
}

extension ClientGrant {
    fileprivate var step: OAuthError.Step { if case .credentials = proof { .clientCredentials } else { .jwtBearer } }
}
