package import CarnetDescriptors
package import CarnetFoundation

/// An authorization URL, and what the client keeps until the callback (RFC 6749, section 4.1.1).
public struct AuthorizationRequest: Sendable {
    /// The URL to open in the user's browser. It contains the state: do not log it.
    public let url: String
    public let pending: PendingAuthorization
    /// When the URL stops working; `nil` if the server does not say.
    package let expiresAt: Date?
    /// What is requested.
    let parameters: RequestParameters
    /// The parameters in the URL or in the pushed request: plain, or as one signed request object.
    let sent: RequestParameters
    let page: AuthorizationPage

    /// The URL with state, nonce and code challenge redacted.
    package var redactedURL: String { page.url(with: sent.items.shown) }
}

extension AuthorizationRequest {
    /// Builds the authorization request. State, nonce and code verifier are new, 256 bits each. The request is signed
    /// (RFC 9101) if the provider requires it or the options ask for it.
    ///
    /// - Throws: `OAuthError` if the provider has no authorization endpoint, does not accept the redirect URI, or a
    ///   parameter would be sent twice.
    package init(
        to provider: DiscoveredProvider, as registration: ClientRegistration,
        options: AuthorizationOptions = AuthorizationOptions(), random: any RandomSource, now: Date
    ) throws(OAuthError) {
        try RefusedFlow.check(responseType: provider.authorization.responseType)
        let endpoint = try provider.endpoint(.authorization, for: .authorization)
        _ = try ClientAuthentication(registration, at: provider)
        let redirectURI = options.redirectURI ?? registration.redirectURI
        try provider.shared.accepting(redirect: redirectURI) { () throws(OAuthError) in
            try RedirectURI.check(redirectURI, against: provider)
        }
        let rules = provider.authorization
        var options = options
        options.access.resource = provider.resourceServers(options.access.resource)
        let scopes = provider.requestedScopes(
            options.scopes ?? registration.scopes, isOffline: options.requestsRefreshToken)
        let isOpenID = scopes.contains("openid") && provider.idToken.none == nil
        let hasNonce = isOpenID && rules.nonce.isSent
        let secrets = try random.secrets(1 + (hasNonce ? 1 : 0) + (rules.pkce.isRequired ? 1 : 0))
        let state = secrets[0]
        guard options.nonce == nil || hasNonce && options.nonce?.reveal().isEmpty == false else {
            throw OAuthError(
                .authorization, .unsupported,
                hasNonce ? "the nonce is empty" : "this sign-in sends no nonce, so the server's would be lost",
                hint: hasNonce
                    ? "pass on the one that the server issued"
                    : "request the scope openid, at a provider that issues ID tokens with a nonce")
        }
        let nonce = hasNonce ? options.nonce ?? secrets[1] : nil
        let verifier = rules.pkce.isRequired ? secrets.last.map(CodeVerifier.init(secret:)) : nil

        var parameters = RequestParameters(rules)
        try parameters.add(.responseType, rules.responseType)
        try parameters.add(.clientID, registration.clientID)
        if rules.state.isParameter {
            try parameters.add(.redirectURI, redirectURI)
        } else {
            let carrier = try RedirectURI.carrying(state, named: provider.stateParameter, in: redirectURI)
            try parameters.add(.redirectURI, carrier)
        }
        if !scopes.isEmpty || provider.scopes.whenEmpty == .send {
            try parameters.add(.scope, try provider.scopes.joined(scopes))
        }
        if let unknown = options.extraScopes.keys.sorted().first(where: { !provider.scopes.extra.contains($0) }) {
            throw OAuthError(
                .authorization, .unsupported, "the descriptor has no scope parameter \"\(unknown)\"",
                descriptorKey: "scopes.extra", hint: "add it there, if only with an empty list")
        }
        for item in provider.scopes.extra.items {
            let chosen = options.extraScopes[item.name] ?? []
            let scopes = item.value + chosen.filter { !item.value.contains($0) }
            guard !scopes.isEmpty || provider.scopes.whenEmpty == .send else { continue }
            try parameters.addExtra([Named(item.name, try provider.scopes.joined(scopes))], key: "scopes.extra")
        }
        if rules.state.isParameter { try parameters.add(.state, state) }
        let responseMode = try options.responseMode(besideThatOf: rules)
        if let mode = responseMode { try parameters.add(.responseMode, mode.rawValue) }
        if let nonce { try parameters.add(.nonce, nonce) }
        if let verifier, let encoding = rules.pkce.encoding {
            try parameters.add(.codeChallenge, Secret(verifier.challenge(encoding)))
            try parameters.add(.codeChallengeMethod, "S256")
        }
        let dpopKey = try registration.keyForTokens(at: provider, random: random)
        if let dpopKey { try parameters.add(.dpopThumbprint, dpopKey.thumbprint) }
        try options.addTyped(to: &parameters, besideThoseOf: rules)
        try parameters.addExtra(options.beside(rules.parameters), key: "authorization.parameters")
        if !rules.lateParameters.isEmpty {
            let known = provider.values(registration, now: now, random: random)
            try parameters.addExtra(options.beside(known.named(rules.lateParameters)), key: "authorization.parameters")
        }
        if options.requestsRefreshToken {
            try parameters.addExtra(options.beside(rules.offlineParameters), key: "authorization.offline_parameters")
        }
        if options.prompt.contains(.consent) {
            try parameters.addExtra(
                options.beside(rules.reconsentParameters), key: "authorization.reconsent_parameters")
        }
        if isOpenID, options.needsConsent(for: scopes, at: provider) {
            try parameters.add(.prompt, AuthorizationOptions.Prompt.consent.rawValue)
        }
        try Self.refuseReserved(options.parameters)
        try parameters.addExtra(options.parameters, key: "parameters")
        let isSigned = provider.authorization.requestObject.isUsed(wanted: options.delivery.isSigned)
        let whole =
            isSigned
            ? try parameters.signed(
                by: registration, at: provider, goodFor: options.lifetime, random: random, now: now)
            : parameters
        let sent = whole.besides(queryOf: endpoint)
        try sent.refuseRepeats(of: sent.items, inQueryOf: endpoint, key: "endpoints.authorization")
        page = AuthorizationPage(endpoint: endpoint, fragmentRoute: rules.fragmentRoute, fragment: rules.fragment)
        url = page.url(with: sent.items.encoded)
        pending = PendingAuthorization(
            provider: provider.id, clientID: registration.clientID, inputs: provider.inputs,
            environment: provider.environment, redirectURI: redirectURI, scopes: scopes, createdAt: now,
            expiresAt: now.addingTimeInterval(options.lifetime), state: state,
            stateParameter: provider.stateParameter == "state" ? nil : provider.stateParameter, nonce: nonce,
            codeVerifier: verifier?.secret, resources: options.access.resource.isEmpty ? nil : options.access.resource,
            maxAge: options.authentication.maxAge,
            essentialACRs: options.essentialACRs.isEmpty ? nil : options.essentialACRs, dpopKey: dpopKey?.encoded,
            hasStateInRedirectURI: rules.state.isParameter ? nil : true, responseMode: responseMode,
            servers: provider.shared.serverPlaces, issuer: provider.isIssuerFound ? provider.issuer : nil)
        expiresAt = nil
        self.parameters = parameters
        self.sent = sent
    }
}

extension AuthorizationRequest {
    /// Rejects parameters that a host can never set, even if this sign-in does not send them.
    private static func refuseReserved(_ parameters: [Named<String>]) throws(OAuthError) {
        let reserved = parameters.first { parameter in
            RequestKind.authorization.parameter(parameter.name).map { $0.rule != .settable } ?? false
        }
        guard let name = reserved?.name else { return }
        throw OAuthError(
            .authorization, .reservedParameter, "the parameter \"\(name)\" is set by the protocol",
            descriptorKey: "parameters.\(name)")
    }
}

/// Where the browser goes for an authorization request.
struct AuthorizationPage: Sendable {
    let endpoint: WebURL
    let fragmentRoute: URLFragment?
    let fragment: URLFragment?

    /// The endpoint with encoded parameters in its query or, if the descriptor says so, its fragment.
    func url(with parameters: String) -> String {
        if let fragmentRoute { return "\(endpoint)#\(fragmentRoute.text)?\(parameters)" }
        return endpoint.appendingQuery(parameters) + (fragment.map { "#\($0.text)" } ?? "")
    }
}

extension ResolvedRequest {
    static let plainGET = ResolvedRequest(method: .get)
}

extension DiscoveredStage {
    /// - Throws: `OAuthError` that names the key to add.
    func endpoint(_ name: EndpointName, for step: OAuthError.Step) throws(OAuthError) -> WebURL {
        if let reason = self.endpoints.refused[name] { throw .refusedEndpoint(name, reason, for: step) }
        if let reason = self.endpoints.unfilled[name] {
            throw OAuthError(
                step, .missingEndpoint, "the URL of the \(name.rawValue) endpoint cannot be filled: \(reason)",
                descriptorKey: "endpoints.\(name.rawValue)",
                hint: "check the values that the URL is made of; a host of the provider belongs to trusted_hosts")
        }
        guard let url = self.endpoints[name] else {
            throw OAuthError(
                step, .missingEndpoint, "\(self.name) has no \(name.rawValue) endpoint",
                descriptorKey: "endpoints.\(name.rawValue)")
        }
        return url
    }
}

extension ProviderStage {
    /// The scopes to send: those that are named, else the default ones, with those for a refresh token.
    ///
    /// If a resource needs scopes, and its server announces `offline_access`, the scope is requested with them. Alone it
    /// would replace the server's default scopes.
    func requestedScopes(_ named: [String]?, isOffline: Bool) -> [String] {
        let defaults = self.scopes.defaults.isEmpty ? self.resourceScopes : self.scopes.defaults
        let scopes = self.scopes.requested(named ?? defaults, isOffline: isOffline)
        guard isOffline, self.announcesOfflineAccess, self.resource != nil, !scopes.isEmpty,
            !scopes.contains("offline_access")
        else { return scopes }
        return scopes + ["offline_access"]
    }

    /// The resource servers that tokens are for: those that are named, else the descriptor's (RFC 8707).
    func resourceServers(_ named: [String]) -> [String] {
        named.isEmpty ? [self.resource?.text].compactMap { $0 } : named
    }
}

extension ScopeRules {
    /// The scopes to send: the required ones, the requested ones, and those for a refresh token. Each occurs once, in
    /// order.
    func requested(_ wanted: [String], isOffline: Bool) -> [String] {
        var scopes: [String] = []
        scopes.reserveCapacity(required.count + wanted.count)
        func add(_ list: [String]) { for scope in list where !scopes.contains(scope) { scopes.append(scope) } }
        add(required)
        add(wanted)
        if isOffline { add(offline) }
        return scopes
    }

    /// - Throws: `OAuthError` for a scope that is not a scope token (RFC 6749, section 3.3).
    func joined(_ scopes: [String]) throws(OAuthError) -> String {
        for scope in scopes where !Self.isToken(scope) {
            throw OAuthError(
                .authorization, .badRegistration, "\"\(scope)\" is not a valid scope", descriptorKey: "scopes")
        }
        // `joined(separator:)` runs through much more code (Docs/decisions/cold-code.md).
        var joined = scopes.first ?? ""
        for scope in scopes.dropFirst() {
            joined += separator
            joined += scope
        }
        return joined
    }

    /// Whether a string is a scope (RFC 6749, section 3.3).
    package static func isToken(_ scope: String) -> Bool {
        !scope.isEmpty
            && scope.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }

    /// The scopes in a space-separated string.
    static func split(_ text: String, separator: String) -> [String] {
        text.withBytes { bytes in
            separator.withBytes { separators in
                Work.count(bytes.count)
                var scopes: [String] = []
                var start = 0
                // A scope is ASCII (RFC 6749, section 3.3), so none of its bytes is part of another separator.
                for (end, byte) in bytes.enumerated() where byte == 0x20 || separators.contains(byte) {
                    if start < end { scopes.append(String(decoding: bytes[start..<end], as: UTF8.self)) }
                    start = end + 1
                }
                if start < bytes.count { scopes.append(String(decoding: bytes[start...], as: UTF8.self)) }
                return scopes
            }
        }
    }
}
