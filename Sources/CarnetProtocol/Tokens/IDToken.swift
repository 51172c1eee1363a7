import CarnetCrypto
package import CarnetDescriptors
package import CarnetFoundation

/// The claims of a validated ID token (OpenID Connect Core, section 2).
///
/// `issuer` and `subject` together identify an account; an e-mail address does not (section 5.7).
package struct IDToken: Sendable {
    package let issuer: String
    package let subject: String
    package let claims: JSONObject
}

/// The expected values of an ID token.
package struct IDTokenExpectations: Sendable {
    /// The rule for the nonce.
    package enum Nonce: Sendable {
        /// A sign-in that sent this nonce, or none.
        case exactly(Secret?)
        /// A refresh of a sign-in with an unknown nonce (OpenID Connect Core, section 12.2).
        case ofRefresh
        /// A refresh of a sign-in with this nonce. The token may omit it, but not change it.
        case continuing(Secret)
    }

    package var issuer: String
    /// Decides which issuers are accepted.
    let provider: DiscoveredProvider
    /// The issuer of the sign-in that a refresh continues.
    package var continuedIssuer: String?
    package var clientID: String
    /// Further clients of the host that the token may be for.
    package var otherClients: [String] = []
    package var nonce: Nonce
    /// The access token that came with it; `nil` if the host got the ID token alone.
    package var accessToken: Secret?
    /// The authorization code, if one was exchanged for it.
    var code: Secret?
    /// The subject of the sign-in that a refresh continues.
    package var subject: String?
    package var algorithms: [SignatureAlgorithm] { provider.tokenAlgorithms }
    /// The client's secret, if only it may sign.
    let secret: Secret?
    /// The requested maximum age of the authentication, in seconds.
    package var maxAge: Int?
    /// The classes of authentication of which the token must name one; any if empty.
    package var essentialACRs: [String] = []
}

extension ProviderStage {
    /// The algorithms that sign ID tokens and logout tokens.
    var tokenAlgorithms: [SignatureAlgorithm] { self.idToken.algorithms.isEmpty ? [.RS256] : self.idToken.algorithms }

    /// The tolerated difference between the clocks, in seconds.
    var clockSkew: TimeInterval { TimeInterval(self.idToken.clockSkew.seconds) }
}

extension IDTokenExpectations {
    /// Whether the client's secret signs, so that no public key is used.
    package var isSignedWithSecret: Bool { secret != nil }

    /// - Throws: `OAuthError` if the provider has no issuer.
    package init(
        from provider: DiscoveredProvider, as registration: ClientRegistration, nonce: Nonce, accessToken: Secret,
        subject: String? = nil, continuedIssuer: String? = nil
    ) throws(OAuthError) {
        guard let issuer = provider.issuer else {
            throw OAuthError(
                .idToken, .badDescriptor, "an ID token cannot be validated: the descriptor has no issuer",
                descriptorKey: "issuer")
        }
        self.init(
            issuer: issuer, provider: provider, continuedIssuer: continuedIssuer, clientID: registration.clientID,
            nonce: nonce, accessToken: accessToken, subject: subject,
            secret: try provider.signatureSecret(of: registration))
    }

    /// The expected values for a token that an app got, which came without an access token. A secret never signs it: an app
    /// has none.
    ///
    /// - Parameter audiences: The client ids of the host's apps, at least one.
    package init(
        from provider: DiscoveredProvider, as registration: ClientRegistration, audiences: [String], nonce: Secret
    ) throws(OAuthError) {
        guard let first = audiences.first, !audiences.contains("") else {
            throw OAuthError(
                .configuration, .badRegistration, "an ID token needs an audience: the client ids of the apps are empty")
        }
        guard provider.idToken.hs256 == nil else {
            throw OAuthError(
                .idToken, .unsupported,
                "the client's secret signs the ID tokens of \(provider.id), and an app has none",
                descriptorKey: "id_token.hs256")
        }
        try self.init(from: provider, as: registration, nonce: .exactly(nonce), accessToken: Secret(""))
        (clientID, otherClients, accessToken) = (first, Array(audiences.dropFirst()), nil)
    }

    /// The expected values for a sign-in.
    package init(
        from provider: DiscoveredProvider, as registration: ClientRegistration, for callback: ValidatedCallback,
        accessToken: Secret
    ) throws(OAuthError) {
        let pending = callback.pending
        let nonce: Nonce =
            if let sent = pending.nonce, !provider.authorization.nonce.isRequired { .continuing(sent) } else {
                .exactly(pending.nonce)
            }
        try self.init(from: provider, as: registration, nonce: nonce, accessToken: accessToken)
        code = callback.code
        maxAge = pending.maxAge
        essentialACRs = pending.essentialACRs ?? []
    }
}

extension IDToken {
    /// Validates a token: signature first, then every claim (OpenID Connect Core, section 3.1.3.7).
    ///
    /// Keys come from the issuer's set alone: `jwk`, `jku` and `x5u` headers are ignored.
    ///
    /// - Throws: `OAuthError` at step `idToken`; of kind `keyNotFound` if a new key set might help.
    package init(
        validating token: Secret, with keys: JSONWebKeySet, expecting expectations: IDTokenExpectations, now: Date
    ) throws(OAuthError) {
        var expectations = expectations
        // The hash is that of another token: none can have its own. The signature proves this one.
        if expectations.accessToken == token { expectations.accessToken = nil }
        let policy = JWTPolicy.idToken
        let signature = try JSONWebSignature(token, step: policy.step)
        let algorithm = try policy.check(
            signature, accepting: expectations.algorithms, secret: expectations.secret, keys: keys)
        let claims = try JWTClaims(of: signature, policy, coercing: expectations.provider.idToken.coerce)
        let checker = ClaimsChecker(claims: claims, expectations: expectations, now: now)
        (issuer, subject) = try checker.check(algorithm: algorithm)
        self.claims = claims.all
    }
}

extension IDToken {
    /// The claims of a stored token. Its signature was checked before it was stored.
    ///
    /// - Throws: `OAuthError` of kind `malformedToken`.
    package init(storedAfterValidation token: Secret) throws(OAuthError) {
        let signature = try JSONWebSignature(token, step: .idToken)
        guard let claims = (try? JSONValue(parsing: signature.payload))?.object, let issuer = claims["iss"]?.string,
            let subject = claims["sub"]?.scalarText
        else { throw OAuthError(.idToken, .malformedToken, "the stored ID token has no issuer or subject") }
        self.issuer = issuer
        self.subject = subject
        self.claims = claims
    }
}
