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
    package func pushing(in context: RequestContext<DiscoveredProvider>) throws(OAuthError) -> PreparedRequest {
        let rules = ResolvedRequest(method: .post)
        let pushed = sent.copy(for: .pushedAuthorization, .pushedAuthorization) { $0.standardName != "client_id" }
        return try TokenRequest.send(pushed, in: context, rules: rules)
    }

    /// The sign-in after the push. The URL contains only a reference to the parameters (RFC 9126, section 4). It
    /// cannot become a URL that contains the parameters.
    ///
    /// - Throws: `OAuthError` at step `pushedAuthorization`.
    package func referring(
        to response: IncomingResponse, request: PreparedRequest, at provider: DiscoveredProvider, now: Date
    ) throws(OAuthError) -> AuthorizationRequest {
        let key = request.descriptorKey
        try response.requireSuccess(
            .pushedAuthorization, key: key, fields: provider.token.response.errors, hiding: request.secrets)
        let body = try response.json(.pushedAuthorization, key: key)
        func member(_ name: String) throws(OAuthError) -> JSONValue {
            if let member = body[name] { return member }
            throw OAuthError(
                .pushedAuthorization, .missingField,
                "the response has no \(name)" + response.told(instead: body, to: request), descriptorKey: key,
                status: response.status)
        }
        func unusable(_ name: String, _ expected: String) -> OAuthError {
            .wrongType(.pushedAuthorization, name, expected, key: key, status: 201)
        }
        // The reference is opaque, and only the provider's own authorization endpoint gets it.
        guard let reference = try member("request_uri").string, reference.utf8.count <= ReceivedLimit.requestURI,
            ResourceIndicator.isAbsoluteURI(reference)
        else { throw unusable("request_uri", "an absolute URI") }
        let stated = try member("expires_in")
        guard let lifetime = stated.double ?? stated.string.flatMap(Double.init), (1...86_400).contains(lifetime)
        else { throw unusable("expires_in", "a lifetime in seconds") }
        let rules = provider.authorization
        var short = RequestParameters(rules)
        try short.add(.clientID, pending.clientID)
        try short.add(.requestURI, Secret(reference))
        for item in parameters.items
        where item.standardName != "client_id" && rules.pushed.repeated.contains(item.standardName) {
            try short.repeatItem(item)
        }
        try short.refuseRepeats(of: short.items, inQueryOf: page.endpoint, key: "endpoints.authorization")
        return AuthorizationRequest(
            url: page.url(with: short.items.encoded), pending: pending, expiresAt: now.addingTimeInterval(lifetime),
            parameters: short, sent: short, page: page)
    }
}
