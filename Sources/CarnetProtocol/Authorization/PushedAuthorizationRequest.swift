package import CarnetDescriptors
package import CarnetFoundation

extension DiscoveredProvider {
    /// Whether the parameters of a sign-in are pushed.
    ///
    /// - Parameter isWanted: The host's choice. The descriptor's `always` and `never` take precedence.
    package func pushesAuthorization(wanted isWanted: Bool?) -> Bool {
        switch self.authorization.pushed.use {
        case .always: true
        case .never: false
        case .auto: isWanted ?? self.authorization.isPushed
        }
    }
}

extension AuthorizationRequest {
    /// The request that sends the parameters to the server, with the client's authentication (RFC 9126, section 2.1).
    ///
    /// - Throws: `OAuthError` at step `pushedAuthorization`.
    package func pushing(
        in context: RequestContext<DiscoveredProvider>
    ) throws(OAuthError) -> PreparedRequest {
        let rules = ResolvedRequest(method: .post)
        let pushed = sent.copy(for: .pushedAuthorization, .pushedAuthorization) { $0.standardName != "client_id" }
        return try TokenRequest.send(pushed, in: context, rules: rules)
    }

    /// The sign-in after the push. The URL contains only a reference to the parameters (RFC 9126, section 4). It
    /// cannot become a URL that contains the parameters.
    ///
    /// - Throws: `OAuthError` at step `pushedAuthorization`.
    package func referring(
        to response: IncomingResponse,
        request: PreparedRequest,
        at provider: DiscoveredProvider,
        now: Date
    ) throws(OAuthError) -> AuthorizationRequest {
        guard response.isSuccess else {
            throw OAuthError.status(
                response,
                .pushedAuthorization,
                key: request.descriptorKey,
                fields: provider.token.response.errors,
                hiding: request.secrets
            )
        }
        let body = try response.json(.pushedAuthorization, key: request.descriptorKey)
        let reference = try Self.reference(body, request, response)
        let stated = try Self.member("expires_in", of: body, request, response)
        guard let lifetime = stated.double ?? stated.string.flatMap(Double.init), (1...86_400).contains(lifetime)
        else { throw Self.unusable("expires_in", "a lifetime in seconds", request) }
        let rules = provider.authorization
        var short = RequestParameters(rules)
        try short.add(.clientID, pending.clientID)
        try short.add(.requestURI, reference)
        for item in parameters.items
        where item.standardName != "client_id" && rules.pushed.repeated.contains(item.standardName) {
            try short.repeatItem(item)
        }
        try short.refuseRepeats(of: short.items, inQueryOf: page.endpoint, key: "endpoints.authorization")
        return AuthorizationRequest(
            url: page.url(with: short.items.encoded),
            pending: pending,
            expiresAt: now.addingTimeInterval(lifetime),
            parameters: short,
            sent: short,
            page: page
        )
    }

    private static func member(
        _ name: String, of body: JSONValue, _ request: PreparedRequest, _ response: IncomingResponse
    ) throws(OAuthError) -> JSONValue {
        guard let member = body[name] else {
            throw OAuthError(
                .pushedAuthorization,
                .missingField,
                "the response has no \(name)" + response.told(instead: body, to: request),
                descriptorKey: request.descriptorKey,
                status: response.status
            )
        }
        return member
    }

    /// The reference is opaque, and only the provider's own authorization endpoint gets it.
    private static func reference(
        _ body: JSONValue, _ request: PreparedRequest, _ response: IncomingResponse
    ) throws(OAuthError) -> Secret {
        let member = try Self.member("request_uri", of: body, request, response)
        guard let text = member.string, text.utf8.count <= ReceivedLimit.requestURI,
            ResourceIndicator.isAbsoluteURI(text)
        else {
            throw unusable("request_uri", "an absolute URI", request)
        }
        return Secret(text)
    }

    private static func unusable(_ name: String, _ expected: String, _ request: PreparedRequest) -> OAuthError {
        OAuthError(
            .pushedAuthorization,
            .wrongFieldType,
            "the response's \(name) is not \(expected)",
            descriptorKey: request.descriptorKey,
            status: 201
        )
    }
}
