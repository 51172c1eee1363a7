package import CarnetDescriptors
package import Foundation

/// Makes the requests of the token endpoint (RFC 6749, sections 4.1.3 and 6) and of revocation (RFC 7009).
package enum TokenRequest {
    /// Exchanges a validated callback's code. A code is sent once and never again.
    package static func exchange(
        _ callback: ValidatedCallback,
        at provider: Provider,
        as registration: ClientRegistration,
        random: any RandomSource,
        now: Date
    ) throws(OAuthError) -> PreparedRequest {
        guard callback.pending.clientID.isSameBytes(as: registration.clientID) else {
            throw OAuthError(
                .tokenRequest,
                .badRegistration,
                "the sign-in was begun by the client \(callback.pending.clientID), not by \(registration.clientID)"
            )
        }
        var parameters = RequestParameters(.tokenRequest, .token, provider.token)
        try parameters.addGrantType()
        try parameters.add(.code, callback.code)
        let pending = callback.pending
        if pending.hasStateInRedirectURI == true {
            // To the last character as in the authorization request (RFC 6749, section 4.1.3).
            let name = pending.stateParameter ?? "state"
            let carrier = try RedirectURI.carrying(pending.state, named: name, in: pending.redirectURI)
            try parameters.add(.redirectURI, carrier)
        } else {
            try parameters.add(.redirectURI, pending.redirectURI)
        }
        if let verifier = callback.pending.codeVerifier { try parameters.add(.codeVerifier, verifier) }
        try parameters.add(.resource, each: callback.pending.resources ?? [])
        return try send(
            &parameters, at: provider, rules: provider.token, registration: registration, random: random, now: now)
    }

    /// Exchanges a refresh token. The scope is left out: the grant's own stays (RFC 6749, section 6).
    package static func refresh(
        _ refreshToken: Secret,
        at provider: Provider,
        as registration: ClientRegistration,
        random: any RandomSource,
        now: Date
    ) throws(OAuthError) -> PreparedRequest {
        var parameters = RequestParameters(.refresh, .refresh, provider.refresh)
        try parameters.addGrantType()
        try parameters.add(.refreshToken, refreshToken)
        return try send(
            &parameters, to: provider.endpoints[.refresh] == nil ? nil : .refresh, at: provider,
            rules: provider.refresh, registration: registration,
            random: random, now: now)
    }

    /// Revokes one token (RFC 7009, section 2.1).
    ///
    /// - Parameter isBound: Whether it is bound to a key, which counts where it stands for the client.
    package static func revoke(
        _ token: Secret,
        hint: String,
        isBound: Bool = false,
        at provider: Provider,
        as registration: ClientRegistration,
        random: any RandomSource,
        now: Date
    ) throws(OAuthError) -> PreparedRequest {
        var parameters = RequestParameters(.revocation, .revocation, provider.revocation)
        if let placement = provider.revocationTokenPlacement {
            try parameters.addExtra(provider.revocation.parameters, key: "revocation.parameters")
            return try PreparedRequest.make(
                parameters,
                to: try provider.endpoint(.revocation, for: .revocation),
                key: "endpoints.revocation",
                rules: provider.revocation,
                token: try TokenCredential(token, isBound: isBound, in: placement, at: provider, for: .revocation)
            )
        }
        try parameters.add(.token, token)
        try parameters.add(.tokenTypeHint, hint)
        return try send(
            &parameters, at: provider, rules: provider.revocation, registration: registration, random: random,
            now: now)
    }

    /// Adds the client's authentication and what the descriptor adds, and prepares the request.
    ///
    /// - Parameters:
    ///   - endpoint: Where it goes, if not to the standard's endpoint for it.
    ///   - usesKeyElsewhere: Whether the registration's key is of use although no method of authentication takes it.
    static func send(
        _ parameters: inout RequestParameters,
        to endpoint: EndpointName? = nil,
        at provider: Provider,
        rules: ResolvedRequest,
        registration: ClientRegistration,
        usesKeyElsewhere: Bool = false,
        accept: String = "application/json",
        random: any RandomSource,
        now: Date
    ) throws(OAuthError) -> PreparedRequest {
        let endpoint = endpoint ?? parameters.kind?.endpoint ?? .token
        let url = try provider.endpoint(endpoint, for: parameters.step)
        let credentials = try ClientAuthentication(
            registration, at: provider, usesKeyElsewhere: usesKeyElsewhere
        )
        .apply(to: &parameters, at: provider, random: random, now: now)
        if parameters.kind?.client == .authenticatedAndNamed,
            !parameters.items.contains(where: { $0.standardName == "client_id" })
        {
            try parameters.add(.clientID, registration.clientID)
        }
        try parameters.addExtra(rules.parameters, key: "\(parameters.section).parameters", hidden: rules.late.hidden)
        try RefusedFlow.check(grantOf: parameters)
        return try PreparedRequest.make(
            parameters,
            to: url,
            key: "endpoints.\(endpoint.rawValue)",
            rules: rules,
            credentials: credentials,
            accept: accept
        )
    }
}
