import CarnetFoundation

extension RequestKind {
    /// What the standards define for the request and the engine sends.
    package var parameters: [RequestParameter] { Self.tables[self]?.parameters ?? [] }

    package var parameterNames: Set<String> { Self.tables[self]?.names ?? [] }

    package func parameter(_ name: String) -> RequestParameter? {
        parameterNames.contains(name) ? parameters.first { $0.name.rawValue == name } : nil
    }

    package func sends(_ parameter: StandardParameter) -> Bool { parameterNames.contains(parameter.rawValue) }

    private static let tables: [RequestKind: (parameters: [RequestParameter], names: Set<String>)] = Dictionary(
        uniqueKeysWithValues: allCases.map { kind in
            let parameters = kind.own + (kind.authenticatesClient ? clientAuthentication : [])
            return (kind, (parameters, Set(parameters.map(\.name.rawValue))))
        })

    private static func defined(
        in source: String, _ rule: ParameterRule, _ names: StandardParameter...
    ) -> [RequestParameter] {
        names.map { RequestParameter(name: $0, source: source, rule: rule) }
    }

    private static let clientAuthentication =
        defined(in: "RFC 6749, section 2.3.1", .replaceable, .clientID, .clientSecret)
        + defined(in: "RFC 7521, section 4.2", .settable, .clientAssertion, .clientAssertionType)

    private static let resource = defined(in: "RFC 8707, section 2", .settable, .resource)

    private var own: [RequestParameter] {
        switch self {
        case .authorization:
            Self.defined(in: "RFC 6749, section 4.1.1", .replaceable, .clientID) + Self.signIn
                + Self.defined(in: "RFC 9126, section 4", .carrier, .requestURI)
        case .pushedAuthorization: Self.signIn
        case .token:
            grant("RFC 6749, section 4.1.3")
                + Self.defined(in: "RFC 6749, section 4.1.3", .replaceable, .code, .redirectURI)
                + Self.defined(in: "RFC 7636, section 4.5", .protected, .codeVerifier)
                + Self.resource
        case .refresh:
            grant("RFC 6749, section 6") + Self.defined(in: "RFC 6749, section 6", .replaceable, .refreshToken)
                + Self.resource
        case .clientCredentials:
            grant("RFC 6749, section 4.4.2") + scope("RFC 6749, section 4.4.2") + Self.resource
        case .device: scope("RFC 8628, section 3.1") + Self.resource
        case .deviceToken:
            grant("RFC 8628, section 3.4") + Self.defined(in: "RFC 8628, section 3.4", .replaceable, .deviceCode)
                + Self.resource
        case .tokenExchange:
            grant("RFC 8693, section 2.1") + scope("RFC 8693, section 2.1")
                + Self.defined(
                    in: "RFC 8693, section 2.1", .replaceable, .subjectToken, .subjectTokenType, .actorToken,
                    .actorTokenType)
                + Self.defined(
                    in: "RFC 8693, section 2.1", .settable, .resource, .audience, .requestedTokenType)
        case .jwtBearer:
            grant("RFC 7523, section 2.1") + scope("RFC 7521, section 4.1")
                + Self.defined(in: "RFC 7523, section 2.1", .replaceable, .assertion)
                + Self.resource
        case .profile: []
        case .revocation: Self.defined(in: "RFC 7009, section 2.1", .replaceable, .token, .tokenTypeHint)
        case .introspection: Self.defined(in: "RFC 7662, section 2.1", .replaceable, .token, .tokenTypeHint)
        case .logout:
            Self.defined(
                in: "OpenID Connect RP-Initiated Logout 1.0, section 2", .replaceable, .idTokenHint, .clientID,
                .postLogoutRedirectURI, .state)
        }
    }

    private func grant(_ source: String) -> [RequestParameter] {
        Self.defined(in: source, .keyed("\(section).grant_type"), .grantType)
    }

    private func scope(_ source: String) -> [RequestParameter] { Self.defined(in: source, .keyed("scopes"), .scope) }

    /// What an authorization request has beside the client's identification.
    private static let signIn =
        defined(in: "RFC 6749, section 4.1.1", .keyed("authorization.response_type"), .responseType)
        + defined(in: "RFC 6749, section 4.1.1", .replaceable, .redirectURI)
        + defined(in: "RFC 6749, section 4.1.1", .keyed("scopes"), .scope)
        + defined(in: "RFC 6749, section 4.1.1", .protected, .state)
        + defined(
            in: "OAuth 2.0 Multiple Response Type Encoding Practices 1.0, section 2.1",
            .keyed("authorization.response_mode"), .responseMode)
        + defined(in: "RFC 7636, section 4.3", .protected, .codeChallenge, .codeChallengeMethod)
        + defined(in: "OpenID Connect Core 1.0, section 3.1.2.1", .protected, .nonce)
        + defined(
            in: "OpenID Connect Core 1.0, section 3.1.2.1", .settable, .maxAge, .acrValues, .loginHint, .prompt,
            .uiLocales)
        + defined(in: "OpenID Connect Core 1.0, section 5.5", .settable, .claims)
        + resource
        + defined(in: "RFC 9396, section 2", .settable, .authorizationDetails)
        + defined(in: "RFC 9449, section 10", .settable, .dpopThumbprint)
        + defined(in: "RFC 9101, section 5", .carrier, .request)
}

// MARK: - The sections that shape requests

extension ProviderDescriptor {
    /// - Returns: `nil` for the authorization request, which has a section of another form.
    package func rules(of kind: RequestKind) -> RequestRules? {
        switch kind {
        case .authorization, .pushedAuthorization: nil
        case .token: self.token.request
        case .refresh: self.refresh.request
        case .clientCredentials: self.clientCredentials.request
        case .device: self.device.request
        case .deviceToken: self.device.token.request
        case .tokenExchange: self.tokenExchange.request
        case .jwtBearer: self.jwtBearer.grant.request
        case .profile: self.profile.request
        case .revocation: self.revocation.request
        case .introspection: self.introspection.request
        case .logout: self.logout.request
        }
    }

    /// How the response of a grant is read, if its section says so.
    package func response(of grant: RequestKind) -> ResponseRules? {
        switch grant {
        case .token: self.token.response
        case .refresh: self.refresh.response
        case .clientCredentials: self.clientCredentials.response
        case .deviceToken: self.device.token.response
        case .tokenExchange: self.tokenExchange.response
        case .jwtBearer: self.jwtBearer.grant.response
        default: nil
        }
    }
}

extension Place where Value == DescriptorRules {
    /// The section that says how the response of a grant is read.
    package func response(of grant: RequestKind) -> Place<ResponseRules> {
        section(of: grant.inheritsToken ? grant : .token).entry("response")
    }

    /// - Returns: `nil` for the authorization request, which has a section of another form.
    package func rules(of kind: RequestKind) -> Place<RequestRules>? {
        kind.section == RequestKind.authorization.section ? nil : section(of: kind)
    }

    /// The keys of a request stand in the mapping of its section.
    private func section(of kind: RequestKind) -> Place<RequestRules> {
        Place<RequestRules>(kind.section.split(separator: ".").reduce(untyped) { $0.entry(String($1)) })
    }
}
