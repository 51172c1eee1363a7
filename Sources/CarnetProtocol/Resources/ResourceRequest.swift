package import CarnetDescriptors
package import HTTPTypes

/// Requests to protected resources (RFC 6750).
package enum ResourceRequest {
    /// A request that carries the access token.
    ///
    /// - Parameter declared: Resources whose origins may receive the token, besides the provider's `api.hosts` and
    /// its userinfo endpoint.
    /// - Throws: `OAuthError` of kind `undeclaredHost` for any other origin.
    package static func make(
        _ url: WebURL,
        method: HTTPRequest.Method = .get,
        headers: [Named<String>] = [],
        body: [UInt8] = [],
        tokens: TokenSet,
        at provider: Provider,
        declared: [Resource] = []
    ) throws(OAuthError) -> PreparedRequest {
        try make(
            url, method: method, headers: headers, body: body, tokens: tokens, at: provider, declared: declared,
            hidden: provider.api.hiddenHeaders)
    }

    /// - Parameter hidden: The headers whose values are secret.
    static func make(
        _ url: WebURL,
        method: HTTPRequest.Method,
        headers: [Named<String>],
        body: [UInt8],
        tokens: TokenSet,
        at provider: Provider,
        declared: [Resource],
        hidden: Set<String>
    ) throws(OAuthError) -> PreparedRequest {
        let origins = Set(
            (provider.resources + declared).map(\.target.origin)
                + [provider.endpoints[.userinfo]?.origin].compactMap { $0 }
        )
        let isDeclaredHost = provider.api.hosts.contains { (try? WebURL("https://" + $0))?.origin == url.origin }
        guard isDeclaredHost || origins.contains(url.origin) else {
            throw OAuthError(
                .resource,
                .undeclaredHost,
                "the access token must not be sent to \(url.origin)",
                descriptorKey: "api.hosts",
                hint: "if the host belongs to the provider, add it to api.hosts or to a resource map"
            )
        }
        let credential = try TokenCredential(tokens, in: provider.api.tokenIn, at: provider, for: .resource)
        var fields: [(name: String, value: String)] = [("Accept", "application/json"), ("User-Agent", "Carnet")]
        for header in provider.api.headers + headers {
            try credential.refuseCollision(with: header.name, step: .resource)
            fields.removeAll { $0.name.lowercased() == header.name.lowercased() }
            fields.append((header.name, header.value))
        }
        var shown = fields.map { Named($0.name, hidden.contains($0.name) ? Secret($0.value).description : $0.value) }
        let secrets = fields.filter { hidden.contains($0.name) }.map { Secret($0.value) }
        if let name = credential.header {
            fields.append((name, credential.headerValue))
            shown.append(Named(name, credential.shownHeaderValue))
        }
        var parameters = RequestParameters(.resource, section: "api")
        if let name = credential.parameter { try parameters.addToken(tokens.accessToken, named: name) }
        try parameters.refuseRepeats(of: parameters.items, inQueryOf: url, key: "api.token_in")
        let (shownHeaders, items) = (shown, parameters.items)
        return PreparedRequest(
            step: .resource,
            descriptorKey: "resources",
            outgoing: OutgoingRequest(
                head: HTTPRequest(
                    method: method,
                    scheme: url.scheme,
                    authority: url.authority,
                    path: url.pathAppending(items.encoded),
                    headerFields: try httpFields(fields, step: .resource)
                ),
                body: body
            ),
            redacted: RedactedRequest(
                method: method.rawValue,
                url: url.appendingQuery(items.shown),
                headers: shownHeaders,
                body: body.isEmpty ? "" : "(\(body.count) bytes)"
            ),
            secrets: [tokens.accessToken] + secrets
        )
    }

    /// Validates the status before anything reads the body.
    ///
    /// - Parameters:
    ///   - unauthorized: What means an access token that is not accepted, besides 401.
    ///   - statuses: Those that the caller takes; 401 and 403 are errors nevertheless.
    /// - Throws: `OAuthError`: `unauthorized` for 401, `insufficientScope` for 403.
    package static func judge(
        _ response: IncomingResponse, to request: PreparedRequest, unauthorized: [String] = [],
        accepting statuses: Range<Int> = 200..<300
    ) throws(OAuthError) {
        guard !(200..<300).contains(response.status) else { return }
        let error = OAuthError.bearer(response, to: request, unauthorized: unauthorized)
        let isOfToken = [.unauthorized, .insufficientScope, .insufficientAuthentication].contains(error.kind)
        guard isOfToken || !statuses.contains(response.status) else { return }
        throw error
    }
}
