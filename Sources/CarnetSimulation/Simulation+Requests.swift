package import CarnetDescriptors
import CarnetFoundation
package import CarnetProtocol

extension Simulation {
    /// The steps that the provider has.
    package var steps: [SimulatedStep] {
        SimulatedStep.allCases.filter { step in
            switch step {
            case .authorization: hasPage
            case .token: true
            case .refresh: hasPage || provider.endpoints[.deviceAuthorization] != nil
            case .userinfo: Profile.source(at: provider) == .userinfo
            case .revocation: provider.endpoints[.revocation] != nil
            case .endSession: provider.endpoints[.endSession] != nil
            }
        }
    }

    /// The request of a step.
    ///
    /// - Throws: `OAuthError`, as for a real client.
    package func request(_ step: SimulatedStep) throws(OAuthError) -> SimulatedRequest {
        switch step {
        case .authorization: SimulatedRequest(page: try authorization().url)
        case .token: SimulatedRequest(try proved(try tokenRequest()))
        case .refresh: SimulatedRequest(try proved(try refreshRequest()))
        case .userinfo:
            SimulatedRequest(try proved(try profileRequest(), accessToken: tokens.accessToken))
        case .revocation: SimulatedRequest(try revocation())
        case .endSession:
            SimulatedRequest(
                page: try EndSessionRequest(
                    for: tokens, at: provider, as: registration, random: SimulatedRandomSource()
                ).url.reveal())
        }
    }

    /// - Throws: `OAuthError`, as for a real client.
    private func revocation() throws(OAuthError) -> PreparedRequest {
        let token = Secret("simulated-refresh-token")
        let request = try TokenRequest.revoke(
            token, hint: "refresh_token", isSenderConstrained: tokens.isSenderConstrained, in: context)
        return provider.revocation.tokenIn == nil ? request : try proved(request, accessToken: token)
    }

    /// - Throws: `OAuthError`, as for a real client that calls the resource.
    package func request(_ resource: Resource) throws(OAuthError) -> SimulatedRequest {
        let request = try ResourceRequest.make(resource.target, headers: resource.headers, tokens: tokens, at: provider)
        return SimulatedRequest(try proved(request, accessToken: tokens.accessToken))
    }

    /// The request of a host to an API that the descriptor does not name.
    ///
    /// - Throws: `OAuthError`, as for a real client.
    func call() throws(OAuthError) {
        guard let url = try? WebURL("https://api.example") else { return }
        _ = try ResourceRequest.make(url, tokens: tokens, at: provider, declared: [Resource(declaring: url)])
    }

    /// The request with a proof of the test key, if the tokens are bound to a key.
    func proved(_ request: PreparedRequest, accessToken: Secret? = nil) throws(OAuthError) -> PreparedRequest {
        guard registration.usesDPoP(at: provider) else { return request }
        let random = SimulatedRandomSource()
        return try request.proving(try DPoPKey(random: random), accessToken: accessToken, random: random, now: Self.now)
    }

    func authorization() throws(OAuthError) -> AuthorizationRequest {
        try madeAuthorization.value { () throws(OAuthError) in
            try AuthorizationRequest(
                to: provider.discovered, as: registration, random: SimulatedRandomSource(), now: Self.now)
        }
    }

    func tokenRequest() throws(OAuthError) -> PreparedRequest {
        try madeTokenRequest.value { () throws(OAuthError) in
            guard hasPage else { return try requestWithoutPage() }
            let pending = try authorization().pending
            let callback = try validate(callback: Self.standardCallback(provider.discovered), for: pending)
            let filled = provider.discovered.filled(
                with: ConnectionValues(callback: callback), as: registration, now: Self.now,
                random: SimulatedRandomSource())
            return try TokenRequest.authorizationCode(
                callback,
                in: RequestContext(at: filled, as: registration, random: SimulatedRandomSource(), now: Self.now))
        }
    }

    /// A request of its own, with the random values of a first one.
    var context: RequestContext<FilledProvider> {
        RequestContext(at: provider, as: registration, random: SimulatedRandomSource(), now: Self.now)
    }

    /// Whether the provider has a page to sign in at. Its absence, if it should have one, is a finding of its own.
    private var hasPage: Bool {
        provider.endpoints[.authorization] != nil || provider.endpoints.unfilled[.authorization] != nil
    }

    /// A client's own token, if it can have one.
    private func requestWithoutPage() throws(OAuthError) -> PreparedRequest {
        let isPublic = registration.clientSecret == nil && provider.client.authentication.allSatisfy { $0 == .none }
        guard !isPublic else { return try refreshRequest() }
        return try ClientGrant.clientCredentials().request(in: context)
    }

    func refreshRequest() throws(OAuthError) -> PreparedRequest {
        try madeRefreshRequest.value { () throws(OAuthError) in
            let credential = provider.refresh.using == .accessToken ? tokens.accessToken : tokens.refreshToken
            return try TokenRequest.refresh(credential ?? tokens.accessToken, in: context)
        }
    }

    func profileRequest() throws(OAuthError) -> PreparedRequest {
        try madeProfileRequest.value { () throws(OAuthError) in try Profile.request(tokens, at: provider) }
    }

    /// - Throws: `OAuthError` if a further request for the profile cannot be built.
    func build(further index: Int) throws(OAuthError) {
        if let further = filled(index) { _ = try Profile.request(further, tokens, at: provider) }
    }

    /// The requests after the token response, with the values of all examples and samples.
    var connectionRequests: ConnectionRequest {
        ConnectionRequest(
            at: provider.discovered, as: registration,
            with: Self.collected(at: provider.discovered, as: registration, tokens), tokens: tokens, now: Self.now,
            random: SimulatedRandomSource())
    }

    /// The callback of a correct provider, with its own names. A standard parameter that is kept is there, with characters
    /// that it may have: a code has any that can be printed (RFC 6749, appendix A.11).
    static func standardCallback(_ provider: DiscoveredProvider) -> [Named<String>] {
        func name(_ standard: String) -> String { provider.callback.rename[standard] ?? standard }
        func isKept(_ standard: String) -> Bool {
            provider.callback.capture.items.contains { $0.parameter == name(standard) }
        }
        var parameters = [Named(name("code"), isKept("code") ? "4/+&=%41 \(code)" : code)]
        let isRequired = provider.callback.requiresIssuer
        let known = provider.issuer ?? (isRequired ? provider.endpoints[.authorization]?.origin : nil)
        if let issuer = known, isRequired || isKept("iss") {
            parameters.append(Named(name("iss"), issuer))
        }
        if provider.scopes.grantedFrom == .callback, isKept("scope") {
            let separator = provider.token.response.scopeSeparator ?? provider.scopes.separator
            parameters.append(Named(name("scope"), provider.scopes.defaults.joined(separator: separator)))
        }
        return parameters + [Named(provider.stateParameter, "")]
    }

    /// Validates a callback's parameters, the state of the attempt in the place of what stands there.
    func validate(callback parameters: [Named<String>], for pending: PendingAuthorization) throws(OAuthError)
        -> ValidatedCallback
    {
        let stated = parameters.map { parameter in
            parameter.name == provider.stateParameter ? Named(parameter.name, pending.id.reveal()) : parameter
        }
        let sent = completed(stated).map { (name: $0.name, value: $0.value) }
        let separator = pending.redirectURI.holds(UInt8(ascii: "?")) ? "&" : "?"
        let url = pending.redirectURI + separator + PercentEncoding.encode(sent)
        var plain = pending
        // The provider's key is not available, so the content of a signed response is validated.
        if pending.hasSignedResponse(at: provider) { plain.responseMode = .query }
        return try plain.validate(
            AuthorizationCallback(url: url), from: provider.discovered, now: Self.now,
            clientSecret: registration.clientSecret)
    }
}
