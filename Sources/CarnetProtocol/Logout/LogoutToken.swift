public import CarnetDescriptors
public import Foundation

/// A provider's word that sessions are over (OpenID Connect Back-Channel Logout, section 2.4).
public struct LogoutToken: Sendable {
    public let session: EndedSession
    /// The `jti`: each token is taken once.
    public let id: String
    /// Until when its id has to be remembered.
    public let expiresAt: Date
}

/// What a logout token must say to be believed.
public struct LogoutTokenExpectations: Sendable {
    public let issuer: String
    let provider: Provider
    let clientID: String
    let registration: ClientRegistration
    let algorithms: [SignatureAlgorithm]
    /// The client's secret, where it signs and nothing else may.
    let secret: Secret?
    /// How many seconds the clocks may differ.
    let clockSkew: TimeInterval

    /// Whether the client's secret signs, so that no public key is looked at.
    public var isSignedWithSecret: Bool { secret != nil }

    /// - Throws: `OAuthError` if the provider has no issuer, without which no logout can be believed.
    public init(from provider: Provider, as registration: ClientRegistration) throws(OAuthError) {
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
    public init(
        validating token: Secret,
        with keys: JSONWebKeySet,
        expecting expectations: LogoutTokenExpectations,
        now: Date
    ) throws(OAuthError) {
        let signature = try JSONWebSignature(try expectations.opened(token), step: .logout)
        try Self.checkSignature(signature, with: keys, expecting: expectations)
        guard let claims = (try? JSONValue(parsing: signature.payload))?.object else {
            throw OAuthError(.logout, .malformedToken, "the logout token's claims are not a JSON object")
        }
        let reader = LogoutClaims(claims: claims, expectations: expectations, now: now)
        (session, id, expiresAt) = try reader.check()
    }

    private static func checkSignature(
        _ signature: JSONWebSignature, with keys: JSONWebKeySet, expecting expectations: LogoutTokenExpectations
    ) throws(OAuthError) {
        let name = "the logout token"
        // Section 2.4 recommends the type; real servers send that of any JWT, or none. Another is another kind of token.
        if let type = signature.type?.lowercased(), !["jwt", "logout+jwt", "application/logout+jwt"].contains(type) {
            throw OAuthError(
                .logout, .wrongTokenUse, "the token is of the type \"\(type.quotable(limit: 40))\", not a logout token")
        }
        func unsupported(_ accepted: [String]) -> OAuthError {
            OAuthError(
                .logout,
                .unsupportedAlgorithm,
                "\(name) is signed with \"\(signature.algorithm.quotable(limit: 20))\"",
                descriptorKey: "id_token.algorithms",
                hint: "accepted: " + accepted.joined(separator: ", ")
            )
        }
        if let secret = expectations.secret {
            guard signature.algorithm == "HS256" else { throw unsupported(["HS256"]) }
            guard signature.isValid(with: secret) else {
                throw OAuthError(.logout, .badSignature, "\(name) is not signed with the client's secret")
            }
            return
        }
        guard let algorithm = SignatureAlgorithm(rawValue: signature.algorithm),
            expectations.algorithms.contains(algorithm)
        else { throw unsupported(expectations.algorithms.map(\.rawValue)) }
        try signature.check(with: keys, algorithm, step: .logout, name: name)
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
