public import CarnetDescriptors

/// A server's own description of itself (OpenID Connect Discovery, section 3; RFC 8414, section 2).
public struct ProviderMetadata: Sendable {
    public let issuer: String
    public let endpoints: [EndpointName: WebURL]
    /// The endpoints for clients that present a certificate (RFC 8705, section 5).
    public let mtlsEndpoints: [EndpointName: WebURL]
    /// The announced algorithms that are safe; `none` and HS256 are never among them.
    public let signatureAlgorithms: [SignatureAlgorithm]
    /// The algorithms of signed callbacks, of signed profiles and of signed introspection answers.
    public let callbackAlgorithms: [SignatureAlgorithm]
    public let profileAlgorithms: [SignatureAlgorithm]
    public let introspectionAlgorithms: [SignatureAlgorithm]
    /// Whether callbacks name the issuer (RFC 9207, section 3).
    public let announcesIssuerParameter: Bool
    /// How a client may authenticate at the token endpoint, as far as it is known here.
    public let authenticationMethods: [ClientAuthenticationMethod]
    /// The algorithms that it may sign its assertions with.
    public let assertionAlgorithms: [AssertionAlgorithm]
    /// Whether authorization requests must be pushed (RFC 9126, section 5).
    public let demandsPushedAuthorization: Bool
    /// Whether authorization requests must be signed, and how they may be (RFC 9101, section 10.5).
    public let demandsRequestObject: Bool
    public let requestObjectAlgorithms: [SignatureAlgorithm]
    /// The whole document.
    public let document: JSONValue
}

extension ProviderMetadata {
    /// Where a provider's metadata may be, in the order to try: as OpenID Connect appends, then as RFC 8414 inserts.
    public static func locations(for provider: Provider) throws(OAuthError) -> [WebURL] {
        if let url = provider.discoveryURL { return [url] }
        guard let issuer = provider.issuer else {
            throw OAuthError(
                .discovery,
                .badDescriptor,
                "there is no issuer to discover \(provider.name) by",
                descriptorKey: "issuer"
            )
        }
        do throws(WebURLError) {
            let url = try WebURL(issuer)
            let path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
            let root = "\(url.scheme)://\(url.authority)"
            return [
                try WebURL("\(root)\(path)/.well-known/openid-configuration"),
                try WebURL("\(root)/.well-known/oauth-authorization-server\(path)"),
            ]
        } catch {
            throw OAuthError(
                .discovery, .badDescriptor, "the issuer is refused: \(error.reason)", descriptorKey: "issuer")
        }
    }

    /// The request for a metadata document.
    public static func request(_ url: WebURL) throws(OAuthError) -> PreparedRequest {
        try PreparedRequest.make(
            RequestParameters(.discovery, "discovery", .plainGET),
            to: url,
            key: "discovery",
            rules: .plainGET
        )
    }

    /// Judges the document. The issuer in it must be the provider's own, byte for byte (RFC 8414, section 3.3).
    ///
    /// - Throws: `OAuthError` at step `discovery`.
    public init(judging response: IncomingResponse, for provider: Provider) throws(OAuthError) {
        let key = "discovery"
        guard response.status == 200 else {
            throw OAuthError.status(response, .discovery, key: key, hiding: [])
        }
        let body = try response.json(.discovery, key: key)
        guard let issuer = body["issuer"]?.string else {
            throw OAuthError(.discovery, .missingField, "the metadata has no issuer", descriptorKey: key, status: 200)
        }
        if let expected = provider.issuer, !provider.acceptsIssuer(inMetadata: issuer) {
            throw OAuthError(
                .discovery,
                .issuerMismatch,
                "the metadata is of the issuer \"\(issuer.quotable())\", not of \(expected)",
                descriptorKey: "issuer",
                hint: "the two must be equal to the last character, a / at the end included"
            )
        }
        self.issuer = issuer
        document = body
        var endpoints: [EndpointName: WebURL] = [:]
        for name in EndpointName.allCases {
            guard let member = body[name.metadataName], !member.isNull, provider.endpoints[name] == nil else {
                continue
            }
            endpoints[name] = try Self.endpoint(member, name)
        }
        self.endpoints = endpoints
        let aliases = try Self.member("mtls_endpoint_aliases", of: body, "an object", \.object)
        var mtlsEndpoints: [EndpointName: WebURL] = [:]
        for name in MTLSEndpoints.names {
            guard let member = aliases?[name.metadataName], !member.isNull, provider.endpoints[name] == nil else {
                continue
            }
            mtlsEndpoints[name] = try Self.endpoint(member, name)
        }
        self.mtlsEndpoints = mtlsEndpoints
        signatureAlgorithms = try Self.algorithms("id_token_signing_alg_values_supported", of: body)
        callbackAlgorithms = try Self.algorithms("authorization_signing_alg_values_supported", of: body)
        profileAlgorithms = try Self.algorithms("userinfo_signing_alg_values_supported", of: body)
        introspectionAlgorithms = try Self.algorithms("introspection_signing_alg_values_supported", of: body)
        authenticationMethods = try Self.texts("token_endpoint_auth_methods_supported", of: body)
            .compactMap(ClientAuthenticationMethod.init)
        assertionAlgorithms = try Self.texts("token_endpoint_auth_signing_alg_values_supported", of: body)
            .compactMap(AssertionAlgorithm.init)
        demandsPushedAuthorization =
            try Self.member("require_pushed_authorization_requests", of: body, "a boolean", \.bool) ?? false
        demandsRequestObject =
            try Self.member("require_signed_request_object", of: body, "a boolean", \.bool) ?? false
        requestObjectAlgorithms = try Self.algorithms("request_object_signing_alg_values_supported", of: body)
        announcesIssuerParameter =
            try Self.member("authorization_response_iss_parameter_supported", of: body, "a boolean", \.bool) ?? false
    }

    /// A member that is used: absent, or of the type that it should have.
    private static func member<Value>(
        _ name: String,
        of body: JSONValue,
        _ expected: String,
        _ read: (JSONValue) -> Value?
    ) throws(OAuthError) -> Value? {
        guard let member = body[name], !member.isNull else { return nil }
        guard let value = read(member) else {
            throw OAuthError(
                .discovery, .wrongFieldType, "the metadata's \(name) is not \(expected)", descriptorKey: "discovery")
        }
        return value
    }

    private static func texts(_ name: String, of body: JSONValue) throws(OAuthError) -> [String] {
        try member(name, of: body, "a list of texts") { value in
            let texts = value.array?.compactMap(\.string)
            return texts?.count == value.array?.count ? texts : nil
        } ?? []
    }

    /// Those that sign with a key.
    private static func algorithms(_ name: String, of body: JSONValue) throws(OAuthError) -> [SignatureAlgorithm] {
        try texts(name, of: body).compactMap(SignatureAlgorithm.init)
    }

    private static func endpoint(_ member: JSONValue, _ name: EndpointName) throws(OAuthError) -> WebURL {
        guard let text = member.string else {
            throw OAuthError(
                .discovery,
                .wrongFieldType,
                "the metadata's \(name.metadataName) is not a text",
                descriptorKey: "endpoints.\(name.rawValue)"
            )
        }
        do throws(WebURLError) {
            return try WebURL(text)
        } catch {
            throw OAuthError(
                .discovery,
                .badDescriptor,
                "the metadata's \(name.metadataName) is refused: \(error.reason)",
                descriptorKey: "endpoints.\(name.rawValue)"
            )
        }
    }
}

extension Provider {
    /// Whether something that a sign-in needs is left to the metadata.
    public var needsMetadata: Bool {
        switch discovery {
        case .off: false
        case .prefer, .require: true
        case nil:
            issuer != nil
                && ([.authorization, .token, .jwks] + (pushesAuthorization ? [.pushedAuthorizationRequest] : []))
                    .contains { endpoints[$0] == nil }
        }
    }

    /// The provider as a client with a certificate sees it: the endpoints that are for such clients are in their places
    /// (RFC 8705, section 5).
    public func presentingCertificate() -> Provider {
        var changed = self
        changed.endpoints.merge(mtlsEndpoints) { _, alias in alias }
        return changed
    }

    /// The provider with what the metadata adds. What the descriptor says wins.
    public func merging(_ metadata: ProviderMetadata) -> Provider {
        var merged = self
        merged.endpoints.merge(metadata.endpoints) { own, _ in own }
        merged.mtlsEndpoints.merge(metadata.mtlsEndpoints) { own, _ in own }
        if signatureAlgorithms.isEmpty { merged.signatureAlgorithms = metadata.signatureAlgorithms }
        if issuerMatch == .off { merged.issuerMatch = .anyOf([metadata.issuer]) }
        merged.client = client.accepting(announced: metadata.authenticationMethods)
        merged.assertion.announcedAlgorithms = metadata.assertionAlgorithms
        merged.pushesAuthorization =
            pushesAuthorization || authorization.pushed.use == .auto && metadata.demandsPushedAuthorization
        merged.signedAnswers.callback.learn(metadata.callbackAlgorithms)
        merged.signedAnswers.profile.learn(metadata.profileAlgorithms)
        merged.signedAnswers.introspection.learn(metadata.introspectionAlgorithms)
        merged.requestObject.announcedAlgorithms = metadata.requestObjectAlgorithms
        merged.requestObject.isDemanded = requestObject.isDemanded || metadata.demandsRequestObject
        merged.demandsIssuerParameter = demandsIssuerParameter || metadata.announcesIssuerParameter
        return merged
    }
}

extension SignedAnswers.SignedAnswer {
    /// Takes the announced algorithms where the descriptor says none.
    fileprivate mutating func learn(_ announced: [SignatureAlgorithm]) {
        if algorithms.isEmpty { algorithms = announced }
    }
}

extension JSONWebKeySet {
    /// The request for a provider's keys.
    public static func request(for provider: Provider) throws(OAuthError) -> PreparedRequest {
        try request(try provider.endpoint(.jwks, for: .keys), key: "endpoints.jwks")
    }

    /// The request for the keys of another issuer.
    ///
    /// - Parameter key: The key of the descriptor that names the URL.
    public static func request(_ url: WebURL, key: String) throws(OAuthError) -> PreparedRequest {
        try PreparedRequest.make(
            RequestParameters(.keys, "endpoints", .plainGET), to: url, key: key, rules: .plainGET)
    }
}
