import CarnetDescriptors
import Foundation

/// A response that came as a JWT, with a good signature, by the policy of its kind.
struct SignedResponse {
    let claims: JSONObject

    /// Whose token it must be.
    struct Expected {
        let provider: Provider
        /// Another issuer than the provider, which is then the only one.
        var issuer: String?
        /// Who may be named beside the client.
        var otherAudience: String?
        let algorithms: [SignatureAlgorithm]
        /// How it is encrypted for the client; not at all if `nil`.
        var encryption: TokenEncryption?

        init(from provider: Provider, _ rules: SignedAnswers.SignedAnswer) {
            self.provider = provider
            algorithms = provider.algorithms(of: rules)
            encryption = rules.encryption
        }

        /// Claims that another issuer signed, for the provider or for the client.
        init(from source: ClaimSource, at provider: Provider) {
            self.provider = provider
            issuer = source.issuer
            otherAudience = provider.issuer
            algorithms = source.algorithms
        }

        func isOwn(_ other: String) -> Bool {
            if let issuer { return other.isSameBytes(as: issuer) }
            return provider.issuer != nil && provider.acceptsIssuer(inCallback: other)
        }
    }

    /// Decrypts if that was registered, then checks the signature. Algorithms are those of the descriptor, the
    /// registration or the metadata, and never the token's choice.
    init(
        _ token: Secret, _ policy: JWTPolicy, expecting expected: Expected, by verification: AnswerVerification
    ) throws(OAuthError) {
        let signed = try Self.signed(token, policy, expected.encryption, for: verification.registration)
        let signature = try JSONWebSignature(signed, step: policy.step)
        _ = try policy.check(signature, accepting: expected.algorithms, secret: nil, keys: verification.keys)
        let claims = try JWTClaims(of: signature, policy)
        _ = try claims.issuer(expected: expected.issuer ?? expected.provider.issuer, expected.isOwn)
        try claims.audience(
            naming: [verification.registration.clientID, expected.otherAudience].compactMap { $0 })
        try claims.checkTimes(at: verification.now, skew: TimeInterval(expected.provider.clockSkew))
        self.claims = claims.all
    }

    /// The signed token, out of the encrypted one where that is how it comes.
    static func signed(
        _ token: Secret, _ policy: JWTPolicy, _ encryption: TokenEncryption?, for registration: ClientRegistration
    ) throws(OAuthError) -> Secret {
        try JSONWebEncryption.signedToken(
            in: token, encryptedAs: encryption, for: registration, step: policy.step, name: policy.name,
            key: "\(policy.key).encryption")
    }
}
