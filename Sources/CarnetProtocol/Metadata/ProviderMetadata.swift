package import CarnetDescriptors

/// A server's own description of itself (OpenID Connect Discovery, section 3; RFC 8414, section 2).
package struct ProviderMetadata: Sendable {
    package let issuer: String
    package let endpoints: [EndpointName: WebURL]
    /// The endpoints for clients that present a certificate (RFC 8705, section 5).
    package let mtlsEndpoints: [EndpointName: WebURL]
    /// Why endpoints that the document names cannot be requested: whoever uses one is told.
    let refusedEndpoints: [EndpointName: String]
    let refusedMTLSEndpoints: [EndpointName: String]
    /// The announced algorithms that are safe; `none` and HS256 are never among them.
    package let signatureAlgorithms: [SignatureAlgorithm]
    /// The algorithms of signed callbacks, of signed profiles and of signed introspection answers.
    package let callbackAlgorithms: [SignatureAlgorithm]
    package let profileAlgorithms: [SignatureAlgorithm]
    package let introspectionAlgorithms: [SignatureAlgorithm]
    /// Whether callbacks name the issuer (RFC 9207, section 3).
    package let announcesIssuerParameter: Bool
    /// How a client may authenticate at the token endpoint, as far as it is known here.
    package let authenticationMethods: [ClientAuthenticationMethod]
    /// The algorithms that it may sign its assertions with.
    package let assertionAlgorithms: [AssertionAlgorithm]
    /// Whether authorization requests must be pushed (RFC 9126, section 5).
    package let demandsPushedAuthorization: Bool
    /// Whether authorization requests must be signed, and how they may be (RFC 9101, section 10.5).
    package let demandsRequestObject: Bool
    package let requestObjectAlgorithms: [SignatureAlgorithm]
    /// The whole document.
    package let document: JSONValue
}

extension ProviderMetadata {
    /// Where a provider's metadata may be, in the order to try: as OpenID Connect appends, then as RFC 8414 inserts.
    package static func locations(for provider: Provider) throws(OAuthError) -> [WebURL] {
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
    package static func request(_ url: WebURL) throws(OAuthError) -> PreparedRequest {
        try PreparedRequest.make(
            RequestParameters(.discovery, section: "discovery"),
            to: url,
            key: "discovery",
            rules: .plainGET
        )
    }

    /// Judges the document. The issuer in it must be the provider's own, byte for byte (RFC 8414, section 3.3).
    ///
    /// - Throws: `OAuthError` at step `discovery`.
    package init(judging response: IncomingResponse, for provider: Provider) throws(OAuthError) {
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
        let names = EndpointName.allCases.filter { provider.endpoints[$0] == nil }
        (endpoints, refusedEndpoints) = Self.endpoints(names, in: body)
        // Without these nobody signs in, so the failure is told before a user begins.
        for name in [EndpointName.authorization, .token, .jwks] {
            guard let reason = refusedEndpoints[name] else { continue }
            let isText = body[name.metadataName]?.string != nil
            throw .refusedEndpoint(name, reason, isText ? .badDescriptor : .wrongFieldType, for: .discovery)
        }
        let aliased = MTLSEndpoints.names.filter { provider.endpoints[$0] == nil }
        (mtlsEndpoints, refusedMTLSEndpoints) = Self.endpoints(aliased, in: body[stated: "mtls_endpoint_aliases"])
        signatureAlgorithms = try Self.algorithms("id_token_signing_alg_values_supported", of: body)
        callbackAlgorithms = Self.announced("authorization_signing_alg_values_supported", of: body)
        profileAlgorithms = Self.announced("userinfo_signing_alg_values_supported", of: body)
        introspectionAlgorithms = Self.announced("introspection_signing_alg_values_supported", of: body)
        authenticationMethods = try Self.texts("token_endpoint_auth_methods_supported", of: body)
            .compactMap(ClientAuthenticationMethod.init)
        assertionAlgorithms = try Self.texts("token_endpoint_auth_signing_alg_values_supported", of: body)
            .compactMap(AssertionAlgorithm.init)
        demandsPushedAuthorization = try Self.flag("require_pushed_authorization_requests", of: body)
        demandsRequestObject = try Self.flag("require_signed_request_object", of: body)
        requestObjectAlgorithms = Self.announced("request_object_signing_alg_values_supported", of: body)
        announcesIssuerParameter = try Self.flag("authorization_response_iss_parameter_supported", of: body)
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

    /// A boolean, also one that is written as a text; `false` if it is not there.
    private static func flag(_ name: String, of body: JSONValue) throws(OAuthError) -> Bool {
        try member(name, of: body, "a boolean") { value in
            value.bool ?? ["true": true, "false": false][value.string ?? ""]
        } ?? false
    }

    /// The algorithms of something that few clients ask for. A list that cannot be read announces none, as if it were not
    /// there: what is accepted then is RS256.
    private static func announced(_ name: String, of body: JSONValue) -> [SignatureAlgorithm] {
        (try? algorithms(name, of: body)) ?? []
    }

    /// Those that sign with a key.
    private static func algorithms(_ name: String, of body: JSONValue) throws(OAuthError) -> [SignatureAlgorithm] {
        try texts(name, of: body).compactMap(SignatureAlgorithm.init)
    }

    /// The endpoints that an object names, and why others of its endpoints cannot be requested.
    private static func endpoints(
        _ names: [EndpointName], in object: JSONValue?
    ) -> (found: [EndpointName: WebURL], refused: [EndpointName: String]) {
        var found: [EndpointName: WebURL] = [:]
        var refused: [EndpointName: String] = [:]
        for name in names {
            guard let object, object.object != nil else {
                if object != nil { refused[name] = "what should name it is not an object" }
                continue
            }
            guard let member = object[stated: name.metadataName] else { continue }
            guard let text = member.string else {
                refused[name] = "it is not a text"
                continue
            }
            do throws(WebURLError) {
                found[name] = try WebURL(text)
            } catch {
                refused[name] = error.reason.quotable()
            }
        }
        return (found, refused)
    }

}

extension OAuthError {
    /// The metadata names an endpoint that cannot be requested.
    static func refusedEndpoint(
        _ name: EndpointName, _ reason: String, _ kind: Kind = .badDescriptor, for step: Step
    ) -> OAuthError {
        OAuthError(
            step,
            kind,
            "the metadata's \(name.metadataName) is refused: \(reason)",
            descriptorKey: "endpoints.\(name.rawValue)",
            hint: "add the key if the provider documents another URL"
        )
    }
}

extension Provider {
    /// Whether something that a sign-in needs is left to the metadata.
    package var needsMetadata: Bool {
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
    ///
    /// - Throws: `OAuthError` at step `discovery` if its token endpoint cannot be requested.
    package func presentingCertificate() throws(OAuthError) -> Provider {
        var changed = self
        changed.endpoints.merge(mtlsEndpoints) { _, alias in alias }
        if let reason = refusedMTLSEndpoints[.token] { throw .refusedEndpoint(.token, reason, for: .discovery) }
        // What the server has for such clients and cannot be requested is not replaced by what it has for others.
        for (name, reason) in refusedMTLSEndpoints { changed.refuse(name, reason) }
        return changed
    }

    /// Leaves an endpoint out that the metadata names, and says why to whoever uses it.
    private mutating func refuse(_ name: EndpointName, _ reason: String) {
        endpoints[name] = nil
        refusedEndpoints[name] = reason
    }

    /// The provider with what the metadata adds. What the descriptor says wins.
    package func merging(_ metadata: ProviderMetadata) -> Provider {
        var merged = self
        merged.endpoints.merge(metadata.endpoints) { own, _ in own }
        merged.mtlsEndpoints.merge(metadata.mtlsEndpoints) { own, _ in own }
        for (name, reason) in metadata.refusedEndpoints where endpoints[name] == nil { merged.refuse(name, reason) }
        merged.refusedMTLSEndpoints = metadata.refusedMTLSEndpoints.filter { mtlsEndpoints[$0.key] == nil }
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
    package static func request(for provider: Provider) throws(OAuthError) -> PreparedRequest {
        try request(try provider.endpoint(.jwks, for: .keys), key: "endpoints.jwks")
    }

    /// The request for the keys of another issuer.
    ///
    /// - Parameter key: The key of the descriptor that names the URL.
    package static func request(_ url: WebURL, key: String) throws(OAuthError) -> PreparedRequest {
        try PreparedRequest.make(
            RequestParameters(.keys, section: "endpoints"), to: url, key: key, rules: .plainGET)
    }
}
