extension ProviderDescriptor {
    /// Fills the templates with a registration's inputs.
    ///
    /// - Parameter environment: The name of a variant; `nil` for the descriptor as it is.
    /// - Throws: `ResolutionError` that names the input, the environment or the key.
    public func resolve(
        inputs: [String: String] = [:],
        environment: String?
    ) throws(ResolutionError) -> Provider {
        try variant(environment).resolve(inputs: inputs)
    }

    /// Fills the templates with a registration's inputs.
    ///
    /// - Throws: `ResolutionError` that names the input or the key.
    public func resolve(inputs: [String: String] = [:]) throws(ResolutionError) -> Provider {
        let resolver = try InputResolver(self, values: inputs)
        var urls: [EndpointName: WebURL] = [:]
        var late = LateRules(tables: tables, trustedHosts: trustedHosts)
        for name in EndpointName.allCases {
            guard let template = endpoints[name] else { continue }
            if template.isLate {
                late.endpoints[name] = try resolver.late(template, key: "endpoints.\(name.rawValue)")
                continue
            }
            urls[name] = try resolver.url(template, key: "endpoints.\(name.rawValue)")
        }
        var mtlsURLs: [EndpointName: WebURL] = [:]
        for name in endpoints.mtls.isEmpty ? [] : MTLSEndpoints.names {
            guard let template = endpoints.mtls[name] else { continue }
            mtlsURLs[name] = try resolver.url(template, key: "endpoints.mtls_endpoint_aliases.\(name.rawValue)")
        }
        var issuerURL: WebURL?
        if let issuer { issuerURL = try resolver.url(issuer, key: "issuer") }
        var hosts: [String] = []
        for (index, template) in api.hosts.enumerated() {
            if let host = try resolver.fill(template, key: "api.hosts.\(index)") { hosts.append(host.lowercased()) }
        }
        var opened: [Resource] = []
        for (index, entry) in resources.enumerated() {
            let resource = try entry.resolve(with: resolver, below: api.baseURL, key: "resources.\(index)")
            if let known = resource.known {
                opened.append(known)
            } else {
                late.resources.append((opened.count, resource))
            }
        }
        late.apiHeaders = try resolver.lateNamed(api.headers, key: "api.headers")
        late.baseURL = try api.baseURL.flatMap { template throws(ResolutionError) in
            try resolver.late(template, key: "api.base_url")
        }
        return Provider(
            id: id,
            name: name,
            docs: docs,
            display: display,
            environment: environment,
            issuer: issuerURL?.text,
            issuerMatch: try resolver.issuerMatch(issuerMatch),
            discovery: discovery,
            discoveryURL: try discoveryURL.flatMap { template throws(ResolutionError) in
                try resolver.url(template, key: "discovery_url")
            },
            endpoints: urls,
            mtlsEndpoints: mtlsURLs,
            client: client,
            assertion: try ResolvedAssertion(client.assertion, resolver),
            redirects: redirects,
            scopes: scopes,
            authorization: AuthorizationRequestRules(
                parameters: try resolver.named(authorization.parameters, key: "authorization.parameters"),
                lateParameters: try resolver.lateNamed(authorization.parameters, key: "authorization.parameters"),
                offlineParameters: try resolver.named(
                    authorization.offlineParameters,
                    key: "authorization.offline_parameters"
                ),
                reconsentParameters: try resolver.named(
                    authorization.reconsentParameters,
                    key: "authorization.reconsent_parameters"
                ),
                rename: authorization.rename,
                omit: authorization.omit,
                encode: authorization.encode,
                responseType: authorization.responseType,
                responseMode: authorization.responseMode,
                state: authorization.state,
                fragmentRoute: authorization.fragmentRoute?.text,
                fragment: authorization.fragment?.text,
                pkce: authorization.pkce,
                nonce: authorization.nonce,
                pushed: authorization.pushed,
                prefersEphemeralSession: authorization.prefersEphemeralSession
            ),
            pushesAuthorization: authorization.pushed.use == .always
                || authorization.pushed.use == .auto && urls[.pushedAuthorizationRequest] != nil,
            requestObject: try ResolvedRequestObject(authorization.requestObject, resolver),
            demandsIssuerParameter: callback.issuer == .required,
            callbackRename: callback.rename,
            callbackErrors: callback.errors,
            callbackCapture: callback.capture,
            callbackVerification: callback.verification,
            signedAnswers: SignedAnswers(
                callback: SignedAnswers.SignedAnswer(callback.jwt),
                profile: SignedAnswers.SignedAnswer(profile.jwt),
                introspection: SignedAnswers.SignedAnswer(introspection.jwt)
            ),
            token: try resolver.request(token.request, key: "token"),
            tokenResponse: token.response,
            refresh: try resolver.request(refresh.request, key: "refresh", inheriting: token.request),
            refreshCredential: refresh.using,
            clientCredentials: try resolver.grant(
                clientCredentials, key: "client_credentials", inheriting: token.request),
            device: try resolver.device(device, inheriting: token.request),
            tokenExchange: try resolver.grant(tokenExchange, key: "token_exchange", inheriting: token.request),
            jwtBearer: try resolver.jwtBearer(jwtBearer, inheriting: token.request),
            refreshRotation: refresh.rotation,
            expirySource: refresh.expiryFrom,
            refreshMargin: refresh.margin?.count ?? 60,
            signatureAlgorithms: idToken.algorithms,
            signsWithClientSecret: idToken.hs256 != nil,
            coercedClaims: idToken.coerce,
            acceptsMissingNonce: idToken.nonce.ifPresent != nil,
            idTokenEncryption: idToken.encryption,
            clockSkew: idToken.clockSkew?.seconds ?? 60,
            profileSource: profile.source,
            profile: try resolver.request(profile.request, key: "profile", method: .get),
            profileRoot: profile.root,
            profileFormat: profile.format,
            profileTokenPlacement: profile.tokenIn ?? api.tokenIn,
            profileRequests: try resolver.profileRequests(profile.requests),
            claimSources: try resolver.claimSources(profile.sources),
            claims: profile.effectiveClaims,
            callbackClaims: profile.callback,
            revocation: try resolver.request(revocation.request, key: "revocation"),
            revokedTokens: revocation.tokens
                ?? (revocation.tokenIn == nil ? [.refreshToken, .accessToken] : [.accessToken]),
            revocationTokenPlacement: revocation.tokenIn,
            revocationSuccess: revocation.success,
            introspection: try resolver.request(introspection.request, key: "introspection"),
            logout: try resolver.request(logout.request, key: "logout", method: .get),
            acceptsMissingLogoutEnd: logout.missingEnd != nil,
            acceptsFrontChannelLogout: logout.frontChannel,
            apiHosts: hosts,
            apiHeaders: try resolver.named(api.headers, key: "api.headers"),
            apiScheme: api.scheme == "none" ? "Bearer" : api.scheme,
            sendsBareToken: api.scheme == "none",
            apiTokenPlacement: api.tokenIn,
            resources: opened,
            exchange: try exchange.items.map { step throws(ResolutionError) in
                Named(step.name, try step.value.resolve(with: resolver, key: "exchange.\(step.name)"))
            },
            connection: try connection.resolve(with: resolver),
            late: late,
            samples: samples,
            inputs: resolver.values
        )
    }

    /// Inputs that a pretend client may use: the given ones, then examples.
    package func exampleInputs(_ given: [String: String] = [:]) -> [String: String] {
        var values = given
        for input in inputs.items where values[input.name] == nil && input.value.defaultValue == nil {
            values[input.name] = input.value.example ?? input.value.allowed.first
        }
        return values
    }
}
