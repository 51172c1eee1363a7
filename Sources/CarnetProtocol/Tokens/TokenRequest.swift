package import CarnetDescriptors
import CarnetFoundation

/// Builds the requests to the token endpoint (RFC 6749, sections 4.1.3 and 6) and for revocation (RFC 7009).
package enum TokenRequest {
    /// Exchanges the code of a validated callback. A code is sent only once.
    package static func authorizationCode(
        _ callback: ValidatedCallback, in context: RequestContext<FilledProvider>
    ) throws(OAuthError) -> PreparedRequest {
        let (provider, registration) = (context.provider, context.registration)
        guard callback.pending.clientID.isSameBytes(as: registration.clientID) else {
            throw OAuthError(
                .tokenRequest, .badRegistration,
                "the sign-in began with the client \(callback.pending.clientID), not with \(registration.clientID)")
        }
        var parameters = RequestParameters(.tokenRequest, .token, provider.token.request)
        try parameters.addGrantType(provider.token.grantType)
        try parameters.add(.code, callback.code)
        let pending = callback.pending
        if pending.hasStateInRedirectURI == true {
            // Exactly as in the authorization request (RFC 6749, section 4.1.3).
            let name = pending.stateParameter ?? "state"
            let carrier = try RedirectURI.carrying(pending.state, named: name, in: pending.redirectURI)
            try parameters.add(.redirectURI, carrier)
        } else {
            try parameters.add(.redirectURI, pending.redirectURI)
        }
        if let verifier = callback.pending.codeVerifier { try parameters.add(.codeVerifier, verifier) }
        try parameters.add(.resource, each: callback.pending.resources ?? [])
        return try send(parameters, in: context, rules: provider.token.request)
    }

    /// Uses a refresh token. The scope is omitted, so that the granted scopes stay (RFC 6749, section 6).
    ///
    /// - Parameter resources: The resource servers that the sign-in requested (RFC 8707, section 2.2). Without them, a
    ///   server may issue a token for another resource.
    package static func refresh(
        _ refreshToken: Secret, resources: [String] = [], in context: RequestContext<FilledProvider>
    ) throws(OAuthError) -> PreparedRequest {
        let provider = context.provider
        var parameters = RequestParameters(.refresh, .refresh, provider.refresh.request)
        try parameters.addGrantType(provider.refresh.grantType)
        try parameters.add(.refreshToken, refreshToken)
        try parameters.addResources(resources, besideThoseOf: provider.refresh.request)
        return try send(
            parameters, to: provider.endpoints.names(.refresh) ? .refresh : nil, in: context,
            rules: provider.refresh.request, method: provider.refresh.authentication)
    }

    /// Revokes one token (RFC 7009, section 2.1).
    ///
    /// - Parameter isSenderConstrained: Whether the token is bound to a key, for descriptors in which it replaces client
    /// authentication.
    package static func revoke(
        _ token: Secret, hint: String, isSenderConstrained: Bool = false, in context: RequestContext<FilledProvider>
    ) throws(OAuthError) -> PreparedRequest {
        let provider = context.provider
        let rules = provider.revocation.request
        var parameters = RequestParameters(.revocation, .revocation, rules)
        parameters.hideInURL([token])
        if let placement = provider.revocation.tokenIn {
            try parameters.addExtra(rules.parameters, key: "revocation.parameters", hidden: rules.late.hidden)
            return try PreparedRequest.make(
                parameters, to: try provider.endpoint(.revocation, for: .revocation), key: "endpoints.revocation",
                rules: rules,
                token: try TokenCredential(
                    token, isSenderConstrained: isSenderConstrained, in: placement, at: provider, for: .revocation))
        }
        try parameters.add(.token, token)
        try parameters.add(.tokenTypeHint, hint)
        return try send(parameters, in: context, rules: rules, method: provider.revocation.authentication)
    }

    /// Adds client authentication and the descriptor's parameters, and prepares the request.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint, if it is not the standard's.
    ///   - method: The method of client authentication, if it is not the token endpoint's.
    ///   - usesKeyElsewhere: Whether the registration's key has another use.
    static func send(
        _ parameters: RequestParameters, to endpoint: EndpointName? = nil,
        in context: RequestContext<some DiscoveredStage>, rules: ResolvedRequest,
        method: ClientAuthenticationMethod? = nil, usesKeyElsewhere: Bool = false, accept: String = "application/json"
    ) throws(OAuthError) -> PreparedRequest {
        let endpoint = endpoint ?? parameters.kind?.endpoint ?? .token
        let url = try context.provider.endpoint(endpoint, for: parameters.step)
        let authentication = try ClientAuthentication(
            context.registration, at: context.provider, own: method, usesKeyElsewhere: usesKeyElsewhere)
        @Sendable func authenticated(in form: ClientAuthentication.Form) throws(OAuthError) -> PreparedRequest {
            var parameters = parameters
            let credentials = try authentication.apply(to: &parameters, in: form, context)
            if parameters.kind?.client == .authenticatedAndNamed,
                !parameters.items.contains(where: { $0.standardName == "client_id" })
            {
                try parameters.add(.clientID, context.registration.clientID)
            }
            try parameters.addExtra(
                rules.parameters, key: "\(parameters.section).parameters", hidden: rules.late.hidden)
            try RefusedFlow.check(grantOf: parameters)
            return try PreparedRequest.make(
                parameters, to: url, key: "endpoints.\(endpoint.rawValue)", rules: rules, credentials: credentials,
                accept: accept)
        }
        let request = try authenticated(in: .usual)
        // The descriptor's own Authorization header has taken the place of the client's.
        guard !authentication.otherForms.isEmpty, !rules.setsAuthorization else { return request }
        return request.alsoInForms(authentication.otherForms.map { form in { try authenticated(in: form) } })
    }
}
