public import CarnetDescriptors
public import HTTPTypes

/// Requests to protected resources (RFC 6750).
public enum ResourceRequest {
    /// A request that carries the access token.
    ///
    /// - Parameter declared: Resources whose origins the token may go to, besides the provider's `api.hosts` and its
    ///   userinfo endpoint.
    /// - Throws: `OAuthError` of kind `undeclaredHost` for any other origin: the token goes nowhere that nobody named.
    public static func make(
        _ url: WebURL,
        method: HTTPRequest.Method = .get,
        headers: [Named<String>] = [],
        body: [UInt8] = [],
        tokens: TokenSet,
        at provider: Provider,
        declared: [Resource] = []
    ) throws(OAuthError) -> PreparedRequest {
        let origins = Set(
            (provider.resources + declared).map(\.url.origin)
                + [provider.endpoints[.userinfo]?.origin].compactMap { $0 }
        )
        let isDeclaredHost = url.scheme == "https" && provider.apiHosts.contains(url.authority.lowercased())
        guard isDeclaredHost || origins.contains(url.origin) else {
            throw OAuthError(
                .resource,
                .undeclaredHost,
                "the access token may not be sent to \(url.origin)",
                descriptorKey: "api.hosts",
                hint: "add the host to api.hosts, or the resource to a resource map, if it is the provider's"
            )
        }
        let credentials = Secret("\(provider.apiScheme) \(tokens.accessToken.reveal())")
        var fields: [(name: String, value: String)] = [("Accept", "application/json"), ("User-Agent", "Carnet")]
        for header in provider.apiHeaders + headers {
            fields.removeAll { $0.name.lowercased() == header.name.lowercased() }
            guard header.name.lowercased() != "authorization" else {
                throw OAuthError(.resource, .badHeader, "the Authorization header is set by the client")
            }
            fields.append((header.name, header.value))
        }
        let shown =
            fields.map { Named($0.name, $0.value) } + [Named("Authorization", "\(provider.apiScheme) \(Secret(""))")]
        fields.append(("Authorization", credentials.reveal()))
        return PreparedRequest(
            step: .resource,
            descriptorKey: "resources",
            outgoing: OutgoingRequest(
                head: HTTPRequest(
                    method: method,
                    scheme: url.scheme,
                    authority: url.authority,
                    path: url.target,
                    headerFields: try httpFields(fields, step: .resource)
                ),
                body: body
            ),
            redacted: RedactedRequest(
                method: method.rawValue,
                url: url.text,
                headers: shown,
                body: body.isEmpty ? "" : "(\(body.count) bytes)"
            ),
            secrets: [tokens.accessToken]
        )
    }

    /// Judges the status before anything looks at the body.
    ///
    /// - Throws: `OAuthError`: `unauthorized` for 401, `insufficientScope` for 403.
    public static func judge(_ response: IncomingResponse, to request: PreparedRequest) throws(OAuthError) {
        let status = response.status
        let words = BearerChallenge.words(in: response, hiding: request.secrets)
        switch status {
        case 200..<300: return
        case 401:
            throw OAuthError(
                .resource,
                .unauthorized,
                "the access token is not accepted",
                descriptorKey: "resources",
                status: 401,
                server: words
            )
        case 403:
            let missing = BearerChallenge.scopes(in: response)
            throw OAuthError(
                .resource,
                .insufficientScope,
                "the granted scopes do not open the resource",
                descriptorKey: "resources",
                status: 403,
                server: words ?? response.serverWords(ErrorFields(), hiding: request.secrets),
                hint: missing.isEmpty ? nil : "sign in with the scopes " + missing.joined(separator: " ")
            )
        default:
            throw OAuthError.status(response, .resource, key: "resources", hiding: request.secrets)
        }
    }
}
