package import CarnetDescriptors
package import CarnetFoundation
package import HTTPTypes

/// Requests to protected resources (RFC 6750).
package enum ResourceRequest {
    /// A request that carries the access token.
    ///
    /// - Parameters:
    ///   - declared: Resources whose origins may receive the token, besides the provider's `api.hosts` and its userinfo
    ///     endpoint.
    ///   - secretHeaders: The headers whose values are secret, besides the descriptor's own.
    /// - Throws: `OAuthError` of kind `undeclaredHost` for any other origin.
    package static func make(
        _ url: WebURL, method: HTTPRequest.Method = .get, headers: [Named<String>] = [], body: [UInt8] = [],
        tokens: TokenSet, at provider: FilledProvider, declared: [Resource] = [], hiding secretHeaders: [String] = [],
        stream: ResponseStream? = nil
    ) throws(OAuthError) -> PreparedRequest {
        try make(
            url, method: method, headers: headers, body: body, tokens: tokens, at: provider, declared: declared,
            hidden: provider.api.hiddenHeaders.union(secretHeaders), stream: stream)
    }

    /// - Parameters:
    ///   - queried: Parameters of the query.
    ///   - hidden: The headers whose values are secret.
    ///   - rules: The request of the descriptor that this is. Its headers may replace the Authorization header, and what
    ///     it names takes the place of what `api` says.
    static func make(
        _ url: WebURL, method: HTTPRequest.Method, headers: [Named<String>], body: [UInt8], tokens: TokenSet,
        at provider: FilledProvider, declared: [Resource], queried: [RequestParameters.Parameter] = [],
        hidden: Set<String>, rules: CallRules? = nil, stream: ResponseStream? = nil
    ) throws(OAuthError) -> PreparedRequest {
        let isDeclared =
            provider.resources.contains { $0.target.hasOrigin(of: url) }
            || declared.contains { $0.target.hasOrigin(of: url) }
            || provider.endpoints[.userinfo]?.hasOrigin(of: url) == true
            || provider.resource?.hasOrigin(of: url) == true
            || provider.api.hosts.contains { (try? WebURL("https://" + $0))?.hasOrigin(of: url) == true }
        guard isDeclared else {
            throw OAuthError(
                .resource, .undeclaredHost, "the access token must not be sent to \(url.origin)",
                descriptorKey: "api.hosts")
        }
        let placement = (rules?.tokenIn).placement(else: provider.api.tokenIn)
        let credential = try placement.map { place throws(OAuthError) in
            try TokenCredential(tokens, in: place, at: provider, for: .resource)
        }
        if credential?.isInBody == true { throw .tokenWithoutBody(.resource) }
        let removed = Set((rules?.headers.items ?? []).filter(\.value.isRemoval).map { $0.name.lowercased() })
        let stated = credential == nil ? [] : provider.api.headers
        let apiHeaders = removed.isEmpty ? stated : stated.filter { !removed.contains($0.name.lowercased()) }
        var fields: [(name: String, value: String)] = [("Accept", "application/json"), ("User-Agent", "Carnet")]
        for (index, header) in (apiHeaders + headers).enumerated() {
            let name = header.name.lowercased()
            let isOwn = (rules != nil || index < apiHeaders.count) && hidden.contains(header.name)
            if name != "authorization" || !isOwn {
                try TokenCredential.refuseCollision(with: name, of: credential?.header, step: .resource)
            }
            // It describes a body, and a call may have none.
            guard name != "content-type" || !body.isEmpty || index >= apiHeaders.count else { continue }
            fields.removeAll { $0.name.lowercased() == name }
            fields.append((header.name, header.value))
        }
        func isHidden(_ name: String) -> Bool { hidden.contains(name) || name.lowercased() == "authorization" }
        var shownFields: [PreparedRequest.Field] = fields.map {
            ($0.name, $0.value, isHidden($0.name) ? Secret($0.value).description : nil)
        }
        let secrets = fields.filter { isHidden($0.name) }.flatMap(\.value.secretParts)
        let replacesToken = fields.contains { $0.name.lowercased() == "authorization" }
        if let credential, let name = credential.header, !(replacesToken && name == "Authorization") {
            shownFields.append((name, credential.headerValue, credential.shownHeaderValue))
        }
        var parameters = RequestParameters(.resource, section: "api")
        if let name = credential?.parameter { try parameters.addToken(tokens.accessToken, named: name) }
        try parameters.refuseRepeats(of: parameters.items, inQueryOf: url, key: "api.token_in")
        for item in queried { try parameters.repeatItem(item) }
        // A call that says the parameter itself has another value for it.
        let own = PercentEncoding.decodeForm(url.query ?? "") ?? []
        let added = (credential == nil ? [] : provider.api.parameters).filter { parameter in
            !own.contains { $0.name == parameter.name } && rules?.parameters.contains(parameter.name) != true
        }
        try parameters.addExtra(added, key: "api.parameters", hidden: provider.api.hiddenParameters)
        let items = parameters.items
        return try .make(
            .resource, key: "resources", method, url, path: url.pathAppending(items.encoded), headers: shownFields,
            body: body, stream: stream, shownURL: url.appendingQuery(items.shown),
            shownBody: body.isEmpty ? "" : "(\(body.count) bytes)",
            secrets: [tokens.accessToken] + parameters.secrets + secrets, hasToken: credential != nil)
    }

    /// Validates the status, and the body if the descriptor says that it may report a rejected access token.
    ///
    /// - Parameters:
    ///   - errors: Where errors are, and what they mean.
    ///   - statuses: Those that the caller takes; 401 and 403 are errors nevertheless.
    /// - Throws: `OAuthError`: `unauthorized` for 401, `insufficientScope` for 403.
    package static func validate(
        _ response: IncomingResponse, to request: PreparedRequest, errors: ErrorFields = ErrorFields(),
        accepting statuses: Range<Int> = 200..<300
    ) throws(OAuthError) {
        guard !(200..<300).contains(response.status) else {
            if let error = OAuthError.bearer(inSuccess: response, to: request, errors: errors) { throw error }
            return
        }
        let error = OAuthError.bearer(response, to: request, errors: errors)
        let isOfToken = [.unauthorized, .insufficientScope, .insufficientAuthentication].contains(error.kind)
        guard isOfToken || response.status == 403 || !statuses.contains(response.status) else { return }
        throw error
    }
}
