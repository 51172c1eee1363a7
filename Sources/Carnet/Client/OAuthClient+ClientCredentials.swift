public import CarnetDescriptors
public import CarnetProtocol
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
        try await call(
            url, withTokenFor: ClientTokenCache.Key(scopes: scopes, resources: resource), method: method,
            headers: headers, body: body, declared: declared)
    }
}
