package import CarnetDescriptors
package import Foundation

/// A provider's word that sessions are over (OpenID Connect Back-Channel Logout, section 2.4).
package struct LogoutToken: Sendable {
    package let session: EndedSession
    /// The `jti`: each token is taken once.
    package let id: String
    /// Until when its id has to be remembered.
    package let expiresAt: Date
}

/// What a logout token must say to be believed.
package struct LogoutTokenExpectations: Sendable {
    package let issuer: String
    let provider: Provider
    let clientID: String
    let registration: ClientRegistration
    let algorithms: [SignatureAlgorithm]
    /// The client's secret, where it signs and nothing else may.
    let secret: Secret?
    /// How many seconds the clocks may differ.
    let clockSkew: TimeInterval

    /// Whether the client's secret signs, so that no public key is looked at.
    package var isSignedWithSecret: Bool { secret != nil }

    /// - Throws: `OAuthError` if the provider has no issuer, without which no logout can be believed.
    package init(from provider: Provider, as registration: ClientRegistration) throws(OAuthError) {
        guard let issuer = provider.issuer else {
            throw OAuthError(
                .logout,
                .badDescriptor,
                "a logout token came, and the descriptor names no issuer to check it against",
                descriptorKey: "issuer"
            )
        }
        self.issuer = issuer
        self.provider = provider
        self.registration = registration
        clientID = registration.clientID
        algorithms = provider.signatureAlgorithms.isEmpty ? [.RS256] : provider.signatureAlgorithms
        secret = try provider.signatureSecret(of: registration)
        clockSkew = TimeInterval(provider.clockSkew)
    }
}

extension LogoutToken {
    /// Validates a token: signature first, then every claim (OpenID Connect Back-Channel Logout, section 2.6).
    ///
    /// Algorithms and keys are those of the provider's ID tokens. Whether `id` was seen before is the caller's to find
    /// out.
    ///
    /// - Throws: `OAuthError` at step `logout`; of kind `keyNotFound` if other keys might help.
    package init(
        validating token: Secret,
        with keys: JSONWebKeySet,
        expecting expectations: LogoutTokenExpectations,
        now: Date
    ) throws(OAuthError) {
        let (signature, claims) = try Self.parse(token, expecting: expectations)
        _ = try claims.policy.check(
            signature, accepting: expectations.algorithms, secret: expectations.secret, keys: keys)
        (session, id, expiresAt) = try LogoutClaims(claims: claims, expectations: expectations, now: now).check()
    }

    /// Refuses what cannot be a logout token for this client, before a provider's metadata or keys are requested because of
    /// it. Nothing is believed yet, unless the client's secret signs.
    ///
    /// - Parameter expectations: Those of the provider as its descriptor says it.
    /// - Throws: As `init(validating:with:expecting:now:)`.
    package static func checkUnverified(
        _ token: Secret, expecting expectations: LogoutTokenExpectations, now: Date
    ) throws(OAuthError) {
        let (signature, claims) = try parse(token, expecting: expectations)
        if expectations.isSignedWithSecret {
            _ = try claims.policy.check(signature, accepting: [], secret: expectations.secret, keys: .none)
        } else {
            let configured = expectations.provider.signatureAlgorithms
            try claims.policy.checkAlgorithm(
                of: signature, accepting: configured.isEmpty ? SignatureAlgorithm.allCases : configured,
                isSignedWithSecret: false)
        }
        _ = try LogoutClaims(claims: claims, expectations: expectations, now: now)
            // Which issuer that is, only the metadata says.
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
    /// The signed token; out of the encrypted one where ID tokens are encrypted (section 2.4).
    fileprivate func opened(_ token: Secret) throws(OAuthError) -> Secret {
        try JSONWebEncryption.signedToken(
            in: token, encryptedAs: registration.idTokenEncryption ?? provider.idTokenEncryption, isRequired: false,
            for: registration, step: .logout, name: "the logout token", key: "id_token.encryption")
    }
}
