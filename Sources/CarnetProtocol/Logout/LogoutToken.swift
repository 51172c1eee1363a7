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
    let clientID: String
    let registration: ClientRegistration
    let algorithms: [SignatureAlgorithm]
    /// The client's secret, if only it may sign.
    let secret: Secret?
    /// The tolerated difference between the clocks, in seconds.
    let clockSkew: TimeInterval

    /// Whether the client's secret signs, so that no public key is used.
    package var isSignedWithSecret: Bool { secret != nil }

    /// - Throws: `OAuthError` if the provider has no issuer.
    package init(from provider: DiscoveredProvider, as registration: ClientRegistration) throws(OAuthError) {
        guard let issuer = provider.issuer else {
            throw OAuthError(
                .logout,
                .badDescriptor,
                "a logout token cannot be validated: the descriptor has no issuer",
                descriptorKey: "issuer"
            )
        }
        self.issuer = issuer
        self.provider = provider.discovered
        self.registration = registration
        clientID = registration.clientID
        algorithms = provider.idToken.algorithms.isEmpty ? [.RS256] : provider.idToken.algorithms
        secret = try provider.signatureSecret(of: registration)
        clockSkew = TimeInterval(provider.idToken.clockSkew.seconds)
    }
}

extension LogoutToken {
    /// Validates a token: signature first, then every claim (OpenID Connect Back-Channel Logout, section 2.6).
    ///
    /// Algorithms and keys are those of the provider's ID tokens. The caller checks whether `id` was used before.
    ///
    /// - Throws: `OAuthError` at step `logout`; of kind `keyNotFound` if a new key set might help.
    package init(
        validating token: Secret,
        with keys: JSONWebKeySet,
        expecting expectations: LogoutTokenExpectations,
        now: Date
    ) throws(OAuthError) {
        let (signature, claims) = try Self.parse(token, expecting: expectations)
        _ = try claims.policy.check(
            signature, accepting: expectations.algorithms, secret: expectations.secret, keys: keys)
        algorithm = signature.algorithm
        (session, id, expiresAt) = try LogoutClaims(claims: claims, expectations: expectations, now: now).check()
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
        _ = try LogoutClaims(claims: claims, expectations: expectations, now: now)
            // Only the metadata names the issuer.
            .check(anyIssuer: expectations.provider.issuerMatch == .off)
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
            in: token, encryptedAs: provider.idToken.encryption, isRequired: false,
            for: registration, step: .logout, name: "the logout token", key: "id_token.encryption")
    }
}
