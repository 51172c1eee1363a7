public import CarnetDescriptors
public import CarnetProtocol
public import HTTPTypes

extension OAuthClient {
    /// An access token for an assertion (RFC 7523, section 2.1). A token for the client's own assertion is kept in
    /// memory until its expiry; nothing is stored.
    ///
    /// A token that is bound to a key needs that key: set the registration's `dpopKey`, or use
    /// `callWithToken(for:_:method:headers:body:declared:)`.
    ///
    /// - Throws: `OAuthError` at step `jwtBearer`.
    public func tokens(for grant: JWTBearerGrant) async throws -> TokenSet {
        if let key = ClientTokenCache.Key(grant) { return try await ownToken(key).tokens }
        return try await requestToken(for: grant).tokens
    }

    /// Calls a URL of a declared host with a token for an assertion. If the client signs the assertion, a 401 causes
    /// one more call with a new token.
    ///
    /// - Parameter declared: Resources whose origins may receive the token, besides those of the descriptor.
    /// - Throws: `OAuthError` at step `jwtBearer` or `resource`.
    public func callWithToken(
        for grant: JWTBearerGrant,
        _ url: WebURL,
        method: HTTPRequest.Method = .get,
        headers: [Named<String>] = [],
        body: [UInt8] = [],
        declared: [Resource] = []
    ) async throws -> IncomingResponse {
        if let key = ClientTokenCache.Key(grant) {
            return try await call(
                url, withTokenFor: key, method: method, headers: headers, body: body, declared: declared)
        }
        return try await call(
            url, with: try await requestToken(for: grant), method: method, headers: headers, body: body,
            declared: declared)
    }
}

extension ClientTokenCache.Key {
    /// `nil` for an assertion of another party, which differs each time.
    fileprivate init?(_ grant: JWTBearerGrant) {
        guard case .signed(let subject) = grant.assertion else { return nil }
        self.init(
            grant: .assertion(subject: subject.map(ByteKey.init)), scopes: grant.scopes, resources: grant.resource)
    }
}
