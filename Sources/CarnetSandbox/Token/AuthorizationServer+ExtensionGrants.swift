import CarnetDescriptors
import CarnetFoundation

/// The grants beside the code and the refresh token, by their standard names.
enum ExtensionGrant: String, CaseIterable {
    /// RFC 6749, section 4.4.
    case clientCredentials = "client_credentials"
    /// RFC 8628, section 3.4.
    case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
    /// RFC 8693, section 2.1.
    case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    /// RFC 7523, section 2.1.
    case jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    func rules(of provider: Provider) -> Resolved<GrantRules> {
        switch self {
        case .clientCredentials: provider.clientCredentials
        case .deviceCode: provider.device.token
        case .tokenExchange: provider.tokenExchange
        case .jwtBearer: provider.jwtBearer.grant
        }
    }

    /// The parameter that only this grant has.
    var ownParameter: String? {
        switch self {
        case .clientCredentials: nil
        case .deviceCode: "device_code"
        case .tokenExchange: "subject_token"
        case .jwtBearer: "assertion"
        }
    }

    func response(of provider: Provider) -> ResponseRules { rules(of: provider).response ?? provider.token.response }
}

extension ResolvedRequest {
    /// The value of `grant_type` in the request; `nil` if it has none.
    func grantType(_ names: ParameterNames, or standard: String) -> String? {
        if let fixed = parameters.first(where: { $0.name == names["grant_type"] }) { return fixed.value }
        return names.omits("grant_type") ? nil : standard
    }
}

extension AuthorizationServer {
    func offers(_ grant: ExtensionGrant) -> Bool {
        switch grant {
        case .clientCredentials: provider.client.authentication.contains { $0 != .none }
        case .deviceCode: endpoints[.deviceAuthorization] != nil
        case .tokenExchange: true
        // Some providers call the exchange of a code so.
        case .jwtBearer:
            !provider.token.request.parameters.contains { $0.value == grant.rawValue }
                && provider.token.grantType != grant.rawValue
        }
    }

    /// The requested grant, by its name, or by its own parameter if the grant type is omitted.
    func extensionGrant(
        in received: ReceivedParameters, of request: ServerRequest, at endpoint: EndpointName
    ) -> ExtensionGrant? {
        let deviceEndpoint = endpoints[.deviceToken] ?? endpoints[.token]
        let offered = ExtensionGrant.allCases.filter { grant in
            offers(grant) && endpoints[endpoint] == (grant == .deviceCode ? deviceEndpoint : endpoints[.token])
        }
        let (code, refresh) = (provider.token.request, provider.refresh.request)
        let others =
            offered.compactMap { grant in
                grant.ownParameter.map { ParameterNames(grant.rules(of: provider).request)[$0] }
            } + [ParameterNames(code)["code"], ParameterNames(refresh)["refresh_token"]]
        let grantNames =
            [
                code.grantType(ParameterNames(code), or: provider.token.grantType ?? "authorization_code"),
                refresh.grantType(ParameterNames(refresh), or: provider.refresh.grantType ?? "refresh_token"),
            ] + offered.map(grantName)
        return offered.first { grant in
            let rules = grant.rules(of: provider).request
            let names = ParameterNames(rules)
            let name = grantName(grant)
            guard received[names["grant_type"]].map({ name?.isSameBytes(as: $0) ?? false }) ?? (name == nil) else {
                return false
            }
            // A name that another grant has, too, or none, says nothing.
            if let name, grantNames.count(where: { $0 == name }) == 1 { return true }
            if let own = grant.ownParameter {
                return received[names[own]] != nil || leftOut(by: rules, in: request).contains { $0.name == own }
            }
            // The code of a sign-in may be in a later step.
            if ParameterNames(code).omits("code"), provider.exchange.contains(where: { $0.value.takesCode }) {
                return false
            }
            return others.allSatisfy { received[$0] == nil }
        }
    }

    /// The value of `grant_type` in requests for a grant; `nil` if they have none.
    private func grantName(_ grant: ExtensionGrant) -> String? {
        let rules = grant.rules(of: provider)
        return rules.request.grantType(ParameterNames(rules.request), or: rules.grantType ?? grant.rawValue)
    }

    /// The client credentials grant: for confidential clients, and without a refresh token (RFC 6749, section 4.4).
    mutating func clientCredentials(_ sent: ClientRequest) throws(OAuthError) -> JSONValue {
        let id = sent.client.clientID
        guard sent.client.method(for: provider.client) != .none else {
            throw OAuthError("unauthorized_client", "a public client cannot use the client credentials grant")
        }
        let audience = try checkResources(sent.parameters, sent.names)
        let scopes = try knownScopes(sent.parameters[sent.names["scope"]] ?? "", scopeRules(of: id))
        guard !scopes.contains("openid") else { throw .invalidScope("openid needs a user, and this grant has none") }
        let user = SandboxUser(label: id, claims: ["subject": .string(id)])
        return try issue(.clientCredentials, sent, to: user, scopes: scopes, audience: audience)
    }

    /// A token for an assertion that the client signed (RFC 7523, section 3). Nobody else is trusted here.
    mutating func assertedToken(_ sent: ClientRequest) throws(OAuthError) -> JSONValue {
        let rules = provider.jwtBearer
        let object = try translating(
            { (error: OAuthError) in OAuthError.invalidGrant(error.description) },
            try ReceivedToken(
                try sent.parameters.require("assertion", sent.names), signedBy: sent.client,
                algorithm: rules.assertion.algorithm?.rawValue, keyID: rules.assertion.keyID))
        try take(object.claims, rules.assertion, of: sent.client, about: nil, refusal: OAuthError.invalidGrant)
        guard let subject = object.claims["sub"]?.string, !subject.isEmpty else {
            throw .invalidGrant("the assertion has no known subject")
        }
        let isClaim = rules.scopeIn == .assertion
        let asked = isClaim ? object.claims["scope"]?.string : sent.parameters[sent.names["scope"]]
        let scopes = try knownScopes(asked ?? "", scopeRules(of: sent.client.clientID))
        guard !scopes.contains("openid") else { throw .invalidScope("openid needs a user, and this grant has none") }
        let user = SandboxUser(label: subject, claims: ["subject": .string(subject)])
        let audience = try checkResources(sent.parameters, sent.names)
        return try issue(.jwtBearer, sent, to: user, scopes: scopes, audience: audience)
    }

    /// The exchange of an access token that was issued here for one with the same or fewer scopes (RFC 8693).
    mutating func exchangedToken(_ sent: ClientRequest) throws(OAuthError) -> JSONValue {
        let (received, names) = (sent.parameters, sent.names)
        let kind = "urn:ietf:params:oauth:token-type:access_token"
        let subject = try received.require("subject_token", names)
        guard try received.require("subject_token_type", names) == kind else {
            throw .invalidRequest("only access tokens can be exchanged")
        }
        guard received.contains(names["actor_token"]) == received.contains(names["actor_token_type"]) else {
            throw .invalidRequest("actor_token and actor_token_type go together (RFC 8693, section 2.1)")
        }
        guard [nil, kind].contains(received[names["requested_token_type"]]) else {
            throw .invalidRequest("only access tokens can be issued")
        }
        guard let (access, old) = ledger.activeAccess(subject, at: seams.now()) else {
            throw .invalidGrant("the subject token is unknown, expired or revoked")
        }
        let resource = try checkResources(received, names)
        let scopes = try received[names["scope"]].map { text throws(OAuthError) in
            try knownScopes(text, scopeRules(of: sent.client.clientID))
        }
        for scope in scopes ?? [] where !access.scopes.contains(scope) {
            throw .invalidScope("the subject token does not have the scope \(scope)")
        }
        var body = try issue(
            .tokenExchange, sent, to: old.user, scopes: (scopes ?? access.scopes).filter { $0 != "openid" },
            asked: scopes ?? [], audience: received[names["audience"]] ?? resource, since: old.authTime)
        let rules = ExtensionGrant.tokenExchange.response(of: provider)
        body.set(.string(kind), at: JSONPointer(tokens: rules.root.tokens + ["issued_token_type"]))
        return body
    }

    /// Makes the tokens of a grant that no person gave on a page.
    ///
    /// - Parameter asked: The requested scopes, if they are others.
    private mutating func issue(
        _ kind: ExtensionGrant, _ sent: ClientRequest, to user: SandboxUser, scopes: [String], asked: [String]? = nil,
        audience: String?, since authTime: Date? = nil
    ) throws(OAuthError) -> JSONValue {
        let grantID = seams.randomText()
        let grant = Grant(
            clientID: sent.client.clientID, user: user, scopes: scopes, requestedScopes: asked ?? scopes,
            authTime: authTime ?? seams.now(), audience: audience,
            resources: sent.parameters.values(named: sent.names["resource"]), keyThumbprint: sent.keyThumbprint,
            extensionGrant: kind)
        ledger.grants[grantID] = grant
        return try issue(grantID, grant)
    }

    /// Demands that a token is only for resources that the person allowed (RFC 8707, section 2.2).
    func checkResources(
        _ received: ReceivedParameters, _ names: ParameterNames, of grant: Grant
    ) throws(OAuthError) {
        _ = try checkResources(received, names)
        for resource in received.values(named: names["resource"])
        where !grant.resources.contains(resource) && !isStated(resource) {
            throw OAuthError("invalid_target", "the resource \(resource) was not requested at the sign-in")
        }
    }

    /// Whether the descriptor itself names a resource, as servers do whose parameter is older than RFC 8707.
    private func isStated(_ resource: String) -> Bool {
        (provider.authorization.parameters + provider.token.request.parameters + provider.refresh.request.parameters)
            .contains { $0.name == "resource" && $0.value.isSameBytes(as: resource) }
    }

    /// The resource that a token is for: absolute URIs without a fragment (RFC 8707, section 2).
    func checkResources(_ received: ReceivedParameters, _ names: ParameterNames) throws(OAuthError) -> String? {
        let resources = received.values(named: names["resource"])
        for resource in resources where !isStated(resource) {
            guard let colon = resource.firstIndex(of: ":"), resource[..<colon].first?.isLetter == true,
                !resource.contains("#")
            else { throw OAuthError("invalid_target", "\(resource) is not an absolute URI without a fragment") }
        }
        return resources.first
    }
}
