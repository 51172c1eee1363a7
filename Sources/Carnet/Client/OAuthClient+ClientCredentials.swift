public import CarnetDescriptors
public import CarnetProtocol
public import HTTPTypes

extension OAuthClient {
    /// An access token of the client itself (RFC 6749, section 4.4), kept in memory until its expiry.
    ///
    /// A token that is bound to a key needs that key: set the registration's `dpopKey`, or use
    /// `callWithOwnToken(_:scopes:resource:method:headers:body:declared:)`.
    ///
    /// - Parameters:
    ///   - scopes: The scopes to request; empty for the server's default.
    ///   - resource: The resource servers that the token is for (RFC 8707).
    /// - Throws: `OAuthError` at step `clientCredentials`; of kind `missingClientSecret` for a public client.
    public func clientCredentials(scopes: [String] = [], resource: [String] = []) async throws -> TokenSet {
        try await ownToken(ClientTokenCache.Key(scopes: scopes, resources: resource)).tokens
    }

    /// Calls a URL of a declared host with an access token of the client itself, and once more with a new one after a
    /// 401.
    ///
    /// - Parameters:
    ///   - scopes: As for `clientCredentials(scopes:resource:)`.
    ///   - declared: Resources whose origins may receive the token, besides those of the descriptor.
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
        try await call(
            url, withTokenFor: ClientTokenCache.Key(scopes: scopes, resources: resource), method: method,
            headers: headers, body: body, declared: declared)
    }
}
