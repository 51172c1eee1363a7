package import CarnetDescriptors
package import CarnetFoundation

/// A provider's statement that sessions have ended (OpenID Connect Back-Channel Logout, section 2.4).
package struct LogoutToken: Sendable {
    package let session: EndedSession
    /// The `jti`. Each token is accepted once.
    package let id: String
    /// The time until which its id must be remembered.
    package let expiresAt: Date
    private let algorithm: String

    /// Compares its algorithm with that of a session's own ID token. The metadata announces every algorithm of the server;
    /// each client has one.
    ///
    /// - Throws: `OAuthError` of kind `unsupportedAlgorithm`.
    package func checkAlgorithm(against idToken: Secret?) throws(OAuthError) {
        guard let idToken, let own = try? JSONWebSignature(idToken, step: .logout).algorithm else { return }
        guard own.isSameBytes(as: algorithm) else {
            throw OAuthError(
                .logout, .unsupportedAlgorithm,
                "the logout token is signed with \(algorithm.quotable()), and the session's ID token with \(own.quotable())",
                descriptorKey: "id_token.algorithms")
        }
    }
}

/// The expected values of a logout token.
package struct LogoutTokenExpectations: Sendable {
    package let issuer: String
    let provider: DiscoveredProvider
    let registration: ClientRegistration
    /// The client's secret, if only it may sign.
    let secret: Secret?

    /// Whether the client's secret signs, so that no public key is used.
    package var isSignedWithSecret: Bool { secret != nil }

    /// - Throws: `OAuthError` if the provider has no issuer.
    package init(from provider: DiscoveredProvider, as registration: ClientRegistration) throws(OAuthError) {
        guard let issuer = provider.issuer else {
            throw OAuthError(
                .logout, .badDescriptor, "a logout token cannot be validated: the descriptor has no issuer",
                descriptorKey: "issuer")
        }
        self.issuer = issuer
        self.provider = provider.discovered
        self.registration = registration
        secret = try provider.signatureSecret(of: registration)
    }
}

extension LogoutToken {
    /// Validates a token: signature first, then every claim (OpenID Connect Back-Channel Logout, section 2.6).
    ///
    /// Algorithms and keys are those of the provider's ID tokens. The caller checks whether `id` was used before.
    ///
    /// - Throws: `OAuthError` at step `logout`; of kind `keyNotFound` if a new key set might help.
    package init(
        validating token: Secret, with keys: JSONWebKeySet, expecting expectations: LogoutTokenExpectations, now: Date
    ) throws(OAuthError) {
        let (signature, claims) = try Self.parse(token, expecting: expectations)
        _ = try claims.policy.check(
            signature, accepting: expectations.provider.tokenAlgorithms, secret: expectations.secret, keys: keys)
        algorithm = signature.algorithm
        (session, id, expiresAt) = try expectations.check(claims, at: now)
    }

    /// Rejects invalid tokens before the provider's metadata or keys are requested. The result is not trusted yet,
    /// unless the client's secret signs.
    ///
    /// - Parameter expectations: The expected values according to the descriptor.
    /// - Throws: As `init(validating:with:expecting:now:)`.
    package static func checkUnverified(
        _ token: Secret, expecting expectations: LogoutTokenExpectations, now: Date
    ) throws(OAuthError) {
        let (signature, claims) = try parse(token, expecting: expectations)
        if expectations.isSignedWithSecret {
            _ = try claims.policy.check(signature, accepting: [], secret: expectations.secret, keys: .none)
        } else {
            let configured = expectations.provider.idToken.algorithms
            try claims.policy.algorithm(
                of: signature, among: configured.isEmpty ? SignatureAlgorithm.allCases : configured)
        }
        // Only the metadata names the issuer.
        _ = try expectations.check(claims, at: now, anyIssuer: expectations.provider.issuerMatch == .off)
    }

    private static func parse(
        _ token: Secret, expecting expectations: LogoutTokenExpectations
    ) throws(OAuthError) -> (JSONWebSignature, JWTClaims) {
        let policy = JWTPolicy.logoutToken
        let signature = try JSONWebSignature(try expectations.opened(token), step: policy.step)
        try policy.checkType(of: signature)
        return (signature, try JWTClaims(of: signature, policy))
    }
}

extension LogoutTokenExpectations {
    /// The signed token, decrypted first where ID tokens are encrypted (section 2.4).
    fileprivate func opened(_ token: Secret) throws(OAuthError) -> Secret {
        try JSONWebEncryption.signedToken(
            in: token, .logoutToken, encryptedAs: provider.idToken.encryption, isRequired: false, for: registration,
            key: "id_token.encryption")
    }

    private static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// How many seconds after its issue a token without `exp` is accepted.
    private static let lifetimeWithoutExpiry: TimeInterval = 300

    /// Checks the claims that only a logout token has.
    ///
    /// - Parameter anyIssuer: Whether to accept any issuer, because the metadata is not loaded yet.
    fileprivate func check(
        _ claims: JWTClaims, at now: Date, anyIssuer: Bool = false
    ) throws(OAuthError) -> (session: EndedSession, id: String, expiresAt: Date) {
        let issuer = try claims.issuer(expected: issuer) { issuer in
            anyIssuer || provider.shared.acceptsIssuer(issuer, ofTokenWith: { claims.all[$0]?.string })
        }
        guard let issuer else { throw claims.missing("iss") }
        try claims.audience(naming: [registration.clientID])
        let expiry = try claims.checkTimes(
            at: now, skew: provider.clockSkew,
            expiry: provider.logout.missingEnd != nil ? { $0.addingTimeInterval(Self.lifetimeWithoutExpiry) } : nil)
        guard let expiry else { throw claims.missing("exp") }
        let id = try claims.string("jti", longest: ReceivedLimit.logoutTokenID)
        try Self.checkEvents(claims)
        // An ID token must not be accepted as a logout token, or the reverse (section 2.4).
        guard claims.all["nonce"] == nil else {
            throw OAuthError(.logout, .wrongTokenUse, "the logout token has a nonce, which only ID tokens have")
        }
        let subject = claims["sub"] == nil ? nil : try claims.string("sub", longest: ReceivedLimit.subject)
        let sessionID = claims["sid"] == nil ? nil : try claims.string("sid", longest: ReceivedLimit.sessionID)
        let session = try EndedSession(issuer: issuer, subject: subject, sessionID: sessionID)
        return (session, id, expiry.addingTimeInterval(provider.clockSkew))
    }

    /// Section 2.4: an object whose member for the logout event is an object.
    private static func checkEvents(_ claims: JWTClaims) throws(OAuthError) {
        guard let events = claims.all["events"] else {
            throw OAuthError(.logout, .wrongTokenUse, "the token has no claim events, so it is not a logout token")
        }
        guard let members = events.object else { throw claims.wrongType("events", "an object") }
        guard let event = members[event] else {
            throw OAuthError(.logout, .wrongTokenUse, "the token reports another event than a logout")
        }
        guard event.object != nil else { throw claims.wrongType("events", "an object of objects") }
    }
}
