package import CarnetDescriptors
package import CarnetFoundation

/// The metadata of an authorization server (OpenID Connect Discovery, section 3; RFC 8414, section 2).
package struct ProviderMetadata: Sendable {
    package let issuer: String
    package let endpoints: [EndpointName: WebURL]
    /// The endpoints for clients that present a certificate (RFC 8705, section 5).
    package let mtlsEndpoints: [EndpointName: WebURL]
    /// Why endpoints in the document cannot be requested. A request of one throws this reason.
    let refusedEndpoints: [EndpointName: String]
    let refusedMTLSEndpoints: [EndpointName: String]
    /// The endpoints that a resource led to, at another origin than the issuer, where nothing shows that they are the
    /// issuer's. They are among the refused ones.
    package let foreignEndpoints: [EndpointName: WebURL]
    /// The announced algorithms that are safe, never `none` or HS256.
    package let signatureAlgorithms: [SignatureAlgorithm]
    /// The algorithms of signed callbacks, signed profiles and signed introspection responses.
    package var callbackAlgorithms: [SignatureAlgorithm] { announced("authorization_signing_alg_values_supported") }
    package var profileAlgorithms: [SignatureAlgorithm] { announced("userinfo_signing_alg_values_supported") }
    package var introspectionAlgorithms: [SignatureAlgorithm] {
        announced("introspection_signing_alg_values_supported")
    }

    /// Whether callbacks contain the issuer (RFC 9207, section 3).
    package let announcesIssuerParameter: Bool
    /// The known methods of client authentication at the token endpoint.
    package let authenticationMethods: [ClientAuthenticationMethod]
    /// The accepted algorithms of client assertions.
    package let assertionAlgorithms: [AssertionAlgorithm]
    /// Whether the scope `offline_access` is among those that the server announces.
    package let announcesOfflineAccess: Bool
    /// Whether the URL of a client's metadata can be its client id (OAuth Client ID Metadata Document, section 5).
    package let acceptsClientDocuments: Bool
    /// Whether authorization requests must be pushed (RFC 9126, section 5).
    package let demandsPushedAuthorization: Bool
    /// Whether authorization requests must be signed, and the accepted algorithms (RFC 9101, section 10.5).
    package let demandsRequestObject: Bool
    package var requestObjectAlgorithms: [SignatureAlgorithm] {
        announced("request_object_signing_alg_values_supported")
    }

    /// The whole document.
    package let document: JSONValue
}

extension ProviderMetadata {
    /// The URLs of the metadata, in the order to try: OpenID Connect's suffix, then the two insertions of RFC 8414,
    /// section 3 and section 5. For an issuer without a path, the first and the last are the same.
    ///
    /// A resource protects itself with OAuth, so for its issuer the insertions come first: a server that follows only
    /// OpenID Connect has neither.
    package static func locations(for provider: Provider) throws(OAuthError) -> [WebURL] {
        if let url = provider.discoveryURL { return [url] }
        guard let issuer = provider.issuer else {
            throw OAuthError(
                .discovery, .badDescriptor,
                "the metadata of \(provider.name) cannot be requested: the descriptor has no issuer",
                descriptorKey: "issuer")
        }
        do throws(WebURLError) {
            let url = try WebURL(issuer)
            let path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
            let root = "\(url.scheme)://\(url.authority)"
            let suffixed = "\(root)\(path)/.well-known/openid-configuration"
            let inserted =
                ["\(root)/.well-known/oauth-authorization-server\(path)"]
                + (path.isEmpty ? [] : ["\(root)/.well-known/openid-configuration\(path)"])
            let places = provider.resource == nil ? [suffixed] + inserted : inserted + [suffixed]
            return try places.map { place throws(WebURLError) in try WebURL(place) }
        } catch {
            throw OAuthError(
                .discovery, .badDescriptor, "the issuer is invalid: \(error.reason)", descriptorKey: "issuer")
        }
    }

    /// The request for a metadata document.
    package static func request(_ url: WebURL) throws(OAuthError) -> PreparedRequest {
        try PreparedRequest.make(
            RequestParameters(.discovery, section: "discovery"), to: url, key: "discovery", rules: .plainGET)
    }

    /// Validates the document. Its issuer must be the provider's, byte for byte (RFC 8414, section 3.3).
    ///
    /// - Throws: `OAuthError` at step `discovery`.
    package init(validating response: IncomingResponse, for provider: Provider) throws(OAuthError) {
        let key = "discovery"
        try response.requireSuccess(.discovery, key: provider.keyOfMetadata, hiding: [])
        // Object stores serve files as text/plain or application/octet-stream.
        let body = try response.json(.discovery, key: key, isLenient: response.mediaType != "text/html")
        guard let issuer = body["issuer"]?.string else {
            throw OAuthError(
                .discovery, .missingField,
                "the metadata has no issuer" + (response.request.map { response.told(instead: body, to: $0) } ?? ""),
                descriptorKey: provider.resource == nil ? key : "resource", status: 200)
        }
        if let expected = provider.issuer, !provider.shared.acceptsIssuer(inMetadata: issuer) {
            throw OAuthError(
                .discovery, .issuerMismatch,
                "the metadata has the issuer \"\(issuer.quotable())\" instead of \(expected)",
                descriptorKey: provider.resource == nil ? "issuer" : "resource")
        }
        self.issuer = issuer
        document = body
        let own = provider.endpoints
        let names = EndpointName.allCases.filter { $0.isStandard && own[$0] == nil && own.late[$0] == nil }
        var (endpoints, refusedEndpoints) = Self.endpoints(names, in: body)
        // The scopes of each request replace those that a server has in its URL.
        if !provider.scopes.defaults.isEmpty, !provider.authorization.omit.contains("scope") {
            endpoints[.authorization] = endpoints[.authorization].map { $0.withoutParameter("scope") }
        }
        // A sign-in needs these, so the failure is reported before the user is sent to the provider.
        for name in [EndpointName.authorization, .token, .jwks] {
            guard let reason = refusedEndpoints[name] else { continue }
            let isText = body[name.metadataName]?.string != nil
            throw .refusedEndpoint(name, reason, isText ? .badDescriptor : .wrongFieldType, for: .discovery)
        }
        let aliased = MTLSEndpoints.names.filter { own[$0] == nil && own.late[$0] == nil }
        var (mtls, refusedMTLS) = Self.endpoints(aliased, in: body[stated: "mtls_endpoint_aliases"])
        signatureAlgorithms = try Self.algorithms("id_token_signing_alg_values_supported", of: body)
        // Some servers send the one method alone.
        let methods = "token_endpoint_auth_methods_supported"
        let announced = if let single = body[methods]?.string { [single] } else { try Self.texts(methods, of: body) }
        authenticationMethods = announced.compactMap(ClientAuthenticationMethod.init)
        assertionAlgorithms = try Self.texts("token_endpoint_auth_signing_alg_values_supported", of: body)
            .compactMap(AssertionAlgorithm.init)
        announcesOfflineAccess = body["scopes_supported"]?.array?.contains { $0.string == "offline_access" } ?? false
        acceptsClientDocuments = try Self.flag("client_id_metadata_document_supported", of: body)
        demandsPushedAuthorization = try Self.flag("require_pushed_authorization_requests", of: body)
        demandsRequestObject = try Self.flag("require_signed_request_object", of: body)
        announcesIssuerParameter = try Self.flag("authorization_response_iss_parameter_supported", of: body)
        var foreign: [EndpointName: WebURL] = [:]
        if let origin = provider.originOfFoundIssuer {
            // The code is safe if the callback names the issuer (RFC 9207). A device code has no callback.
            let isNamed = announcesIssuerParameter || provider.callback.requiresIssuer
            for name in EndpointName.beforeToken where !isNamed || name == .deviceAuthorization {
                if let url = endpoints[name], !url.origin.isSameBytes(as: origin) {
                    (foreign[name], endpoints[name]) = (url, nil)
                    refusedEndpoints[name] = Self.foreignness(of: url, origin)
                }
                if let url = mtls[name], !url.origin.isSameBytes(as: origin) {
                    mtls[name] = nil
                    refusedMTLS[name] = Self.foreignness(of: url, origin)
                }
            }
        }
        (self.endpoints, self.refusedEndpoints, foreignEndpoints) = (endpoints, refusedEndpoints, foreign)
        (mtlsEndpoints, refusedMTLSEndpoints) = (mtls, refusedMTLS)
    }

    /// The endpoints that receive a request before the token endpoint receives its result.
    package var endpointsBeforeToken: [WebURL] {
        EndpointName.beforeToken.compactMap { endpoints[$0] ?? foreignEndpoints[$0] }
    }

    private static func foreignness(of url: WebURL, _ origin: String) -> String {
        "it is at \(url.origin), the issuer is at \(origin), and no response will show that both are one server's"
    }

    /// Throws if a sign-in would begin at another origin than that of the issuer to which a resource led (mix-up; RFC 9700,
    /// section 4.4).
    ///
    /// - Throws: `OAuthError` at step `discovery`.
    package func requireOwnAuthorizationEndpoint() throws(OAuthError) {
        guard foreignEndpoints[.authorization] != nil, let reason = refusedEndpoints[.authorization] else { return }
        throw .refusedEndpoint(.authorization, reason, .issuerMismatch, for: .discovery)
    }

    /// A member that is used: absent, or of the expected type.
    private static func member<Value>(
        _ name: String, of body: JSONValue, _ expected: String, _ read: (JSONValue) -> Value?
    ) throws(OAuthError) -> Value? {
        guard let member = body[name], !member.isNull else { return nil }
        guard let value = read(member) else {
            throw OAuthError(
                .discovery, .wrongFieldType, "the metadata's \(name) is not \(expected)", descriptorKey: "discovery")
        }
        return value
    }

    private static func texts(_ name: String, of body: JSONValue) throws(OAuthError) -> [String] {
        try member(name, of: body, "a list of strings", \.listOfStrings) ?? []
    }

    /// A boolean or its string form; `false` if it is absent.
    private static func flag(_ name: String, of body: JSONValue) throws(OAuthError) -> Bool {
        try member(name, of: body, "a boolean") { value in
            value.bool ?? ["true": true, "false": false][value.string ?? ""]
        } ?? false
    }

    /// The algorithms of a rarely used feature. An invalid list counts as absent; then RS256 is accepted.
    private func announced(_ name: String) -> [SignatureAlgorithm] {
        (try? Self.algorithms(name, of: document)) ?? []
    }

    /// The asymmetric algorithms.
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
                if object != nil { refused[name] = "its parent is not an object" }
                continue
            }
            guard let member = object[stated: name.metadataName] else { continue }
            guard let text = member.string else {
                refused[name] = "it is not a string"
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
            step, kind, "the metadata's \(name.metadataName) is invalid: \(reason)",
            descriptorKey: "endpoints.\(name.rawValue)")
    }
}

extension EndpointName {
    fileprivate static let beforeToken: [EndpointName] = [
        .authorization, .deviceAuthorization, .pushedAuthorizationRequest,
    ]
}

extension WebURL {
    /// The URL without a parameter in its query.
    fileprivate func withoutParameter(_ name: String) -> WebURL {
        let parts = query?.split(separator: "&") ?? []
        let kept = parts.filter { $0.prefix { $0 != "=" } != name }
        guard kept.count < parts.count else { return self }
        let base = String(text.prefix { $0 != "?" })
        return (try? WebURL(kept.isEmpty ? base : "\(base)?\(kept.joined(separator: "&"))")) ?? self
    }
}

extension Provider {
    /// The origin of the issuer of a resource. The operator of the resource chose it.
    fileprivate var originOfFoundIssuer: String? {
        self.resource == nil ? nil : self.issuer.flatMap { try? WebURL($0) }?.origin
    }
}

extension DiscoveredProvider {
    /// The provider for a client with a certificate: the mTLS endpoints replace those whose requests present it
    /// (RFC 8705, section 5).
    ///
    /// - Parameter withTokens: Whether requests with an access token present it too.
    /// - Throws: `OAuthError` at step `discovery` if its token endpoint cannot be requested.
    package func presentingCertificate(withTokens: Bool) throws(OAuthError) -> DiscoveredProvider {
        if let reason = self.endpoints.refusedMTLS[.token] { throw .refusedEndpoint(.token, reason, for: .discovery) }
        return changed {
            for (name, alias) in $0.endpoints.mtls where withTokens || name != .userinfo {
                $0.endpoints.urls[name] = alias
            }
            // An invalid mTLS endpoint is not replaced by the plain one.
            for (name, reason) in $0.endpoints.refusedMTLS where withTokens || name != .userinfo {
                $0.endpoints.refuse(name, reason)
            }
        }
    }
}

extension Provider {
    /// The provider with the values of the metadata. The descriptor takes precedence.
    package func merging(_ metadata: ProviderMetadata) -> DiscoveredProvider {
        withoutMetadata.changed {
            $0.endpoints.merge(metadata)
            $0.announcesOfflineAccess = metadata.announcesOfflineAccess
            $0.acceptsClientDocuments = metadata.acceptsClientDocuments
            if $0.idToken.algorithms.isEmpty { $0.idToken.algorithms = metadata.signatureAlgorithms }
            // The document that the descriptor names says who the issuer is.
            if $0.issuer == nil, $0.discoveryURL != nil { $0.issuer = metadata.issuer }
            if $0.issuerMatch == .off { $0.issuerMatch = .anyOf([metadata.issuer]) }
            $0.client.accept(announced: metadata.authenticationMethods)
            $0.client.assertion.announcedAlgorithms = metadata.assertionAlgorithms
            $0.authorization.merge(metadata)
            $0.callback.requiresIssuer = $0.callback.requiresIssuer || metadata.announcesIssuerParameter
            $0.callback.jwt.learn(metadata.callbackAlgorithms)
            $0.profile.jwt.learn(metadata.profileAlgorithms)
            $0.introspection.jwt.learn(metadata.introspectionAlgorithms)
        }
    }
}

extension ResolvedEndpoints {
    fileprivate mutating func merge(_ metadata: ProviderMetadata) {
        let own = self
        urls.merge(metadata.endpoints) { own, _ in own }
        mtls.merge(metadata.mtlsEndpoints) { own, _ in own }
        for (name, reason) in metadata.refusedEndpoints where own[name] == nil { refuse(name, reason) }
        refusedMTLS = metadata.refusedMTLSEndpoints.filter { own.mtls[$0.key] == nil }
    }

    /// Leaves an endpoint out that the metadata names, and keeps the reason for the error of its use.
    fileprivate mutating func refuse(_ name: EndpointName, _ reason: String) {
        urls[name] = nil
        refused[name] = reason
    }
}

extension ResolvedAuthorization {
    fileprivate mutating func merge(_ metadata: ProviderMetadata) {
        isPushed = isPushed || self.pushed.use == .auto && metadata.demandsPushedAuthorization
        requestObject.announcedAlgorithms = metadata.requestObjectAlgorithms
        requestObject.isDemanded = requestObject.isDemanded || metadata.demandsRequestObject
    }
}

extension ResolvedSignedResponse {
    /// Takes the announced algorithms if the descriptor names none.
    fileprivate mutating func learn(_ announced: [SignatureAlgorithm]) {
        if algorithms.isEmpty { algorithms = announced }
    }
}

extension JSONWebKeySet {
    /// Where a provider's keys are.
    package static func location(for provider: DiscoveredProvider) throws(OAuthError) -> WebURL {
        try provider.endpoint(.jwks, for: .keys)
    }

    /// The request for keys.
    ///
    /// - Parameter key: The key of the descriptor that names the URL.
    package static func request(_ url: WebURL, key: String) throws(OAuthError) -> PreparedRequest {
        try PreparedRequest.make(
            RequestParameters(.keys, section: "endpoints"), to: url, key: key, rules: .plainGET,
            // RFC 7517, section 8.5.2.
            accept: "application/json, application/jwk-set+json")
    }
}

extension Provider {
    /// The key that says where the metadata is.
    fileprivate var keyOfMetadata: String {
        self.resource != nil ? "resource" : self.discoveryURL != nil ? "discovery_url" : "issuer"
    }
}
