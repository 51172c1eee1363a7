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
        for name in EndpointName.allCases {
            guard let template = endpoints[name] else { continue }
            urls[name] = try resolver.url(template, key: "endpoints.\(name.rawValue)")
        }
        var issuerURL: WebURL?
        if let issuer { issuerURL = try resolver.url(issuer, key: "issuer") }
        var hosts: [String] = []
        for (index, template) in api.hosts.enumerated() {
            if let host = try resolver.fill(template, key: "api.hosts.\(index)") { hosts.append(host.lowercased()) }
        }
        var opened: [Resource] = []
        for (index, entry) in resources.enumerated() {
            opened.append(try entry.resolve(with: resolver, key: "resources.\(index)"))
        }
        return Provider(
            id: id,
            name: name,
            docs: docs,
            environment: environment,
            issuer: issuerURL?.text,
            issuerMatch: try resolver.issuerMatch(issuerMatch),
            discovery: discovery,
            discoveryURL: try discoveryURL.flatMap { template throws(ResolutionError) in
                try resolver.url(template, key: "discovery_url")
            },
            endpoints: urls,
            client: client,
            assertion: try ResolvedAssertion(client.assertion, resolver),
            redirects: redirects,
            scopes: scopes,
            authorization: AuthorizationRequestRules(
                parameters: try resolver.named(authorization.parameters, key: "authorization.parameters"),
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
                fragmentRoute: authorization.fragmentRoute?.text,
                fragment: authorization.fragment?.text,
                pkce: authorization.pkce,
                nonce: authorization.nonce,
                prefersEphemeralSession: authorization.prefersEphemeralSession
            ),
            demandsIssuerParameter: callback.issuer == .required,
            callbackRename: callback.rename,
            callbackErrors: callback.errors,
            token: try resolver.request(token.request, key: "token"),
            tokenResponse: token.response,
            refresh: try resolver.request(refresh.request, key: "refresh", inheriting: token.request),
            refreshCredential: refresh.using,
            refreshMargin: refresh.margin?.count ?? 60,
            signatureAlgorithms: idToken.algorithms,
            acceptsMissingNonce: idToken.nonce.ifPresent != nil,
            idTokenEncryption: idToken.encryption,
            clockSkew: idToken.clockSkew?.seconds ?? 60,
            profileSource: profile.source,
            profile: try resolver.request(profile.request, key: "profile", method: .get),
            profileRoot: profile.root,
            claims: profile.effectiveClaims,
            revocation: try resolver.request(revocation, key: "revocation"),
            logout: try resolver.request(logout, key: "logout", method: .get),
            apiHosts: hosts,
            apiHeaders: try resolver.named(api.headers, key: "api.headers"),
            apiScheme: api.scheme,
            resources: opened,
            samples: samples,
            inputs: resolver.values
        )
    }

    /// Inputs that a pretend client may use: the given ones, then examples.
    public func exampleInputs(_ given: [String: String] = [:]) -> [String: String] {
        var values = given
        for input in inputs.items where values[input.name] == nil && input.value.defaultValue == nil {
            values[input.name] = input.value.example ?? input.value.allowed.first
        }
        return values
    }
}
