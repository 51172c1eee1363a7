import CarnetDescriptors
import CarnetFoundation

/// The claims of a response that is a JWT. Its signature and the rules of its `JWTPolicy` have been checked.
struct SignedResponse {
    let claims: JSONObject

    /// The issuers that may have signed the token.
    struct Expected {
        let provider: DiscoveredProvider
        /// Accepts this issuer only, instead of the provider's own.
        var issuer: String?
        /// Audiences that are accepted besides the client id.
        var otherAudience: String?
        let algorithms: [SignatureAlgorithm]
        /// The algorithms it is encrypted with for the client; `nil` for no encryption.
        var encryption: TokenEncryption?

        init(from provider: some DiscoveredStage, _ rules: ResolvedSignedResponse) {
            self.provider = provider.discovered
            algorithms = provider.algorithms(of: rules)
            encryption = rules.encryption
        }

        /// Claims that another issuer signed, for the provider or for the client.
        init(from source: ClaimSource, at provider: some DiscoveredStage) {
            self.provider = provider.discovered
            issuer = source.issuer
            otherAudience = provider.issuer
            algorithms = source.algorithms
        }

        func isOwn(_ other: String) -> Bool {
            if let issuer { return other.isSameBytes(as: issuer) }
            return provider.issuer != nil && provider.shared.acceptsIssuer(inCallback: other)
        }
    }

    /// Decrypts the token if encryption was registered, then checks the signature. The accepted algorithms come from
    /// the descriptor, the registration or the metadata, never from the token.
    init(
        _ token: Secret, _ policy: JWTPolicy, expecting expected: Expected, by verification: ResponseVerification
    ) throws(OAuthError) {
        try self.init(
            decrypted: Self.signed(token, policy, expected.encryption, for: verification.registration), policy,
            expecting: expected, by: verification)
    }

    /// Checks the signature of a token that was decrypted before.
    init(
        decrypted signed: Secret, _ policy: JWTPolicy, expecting expected: Expected,
        by verification: ResponseVerification
    ) throws(OAuthError) {
        let signature = try JSONWebSignature(signed, step: policy.step)
        _ = try policy.check(signature, accepting: expected.algorithms, secret: nil, keys: verification.keys)
        let claims = try JWTClaims(of: signature, policy)
        _ = try claims.issuer(expected: expected.issuer ?? expected.provider.issuer, expected.isOwn)
        try claims.audience(
            naming: [verification.registration.clientID, expected.otherAudience].compactMap { $0 })
        try claims.checkTimes(at: verification.now, skew: TimeInterval(expected.provider.idToken.clockSkew.seconds))
        self.claims = claims.all
    }

    /// The signed token, decrypted first where the provider encrypts it.
    static func signed(
        _ token: Secret, _ policy: JWTPolicy, _ encryption: TokenEncryption?, for registration: ClientRegistration
    ) throws(OAuthError) -> Secret {
        try JSONWebEncryption.signedToken(
            in: token, encryptedAs: encryption, for: registration, step: policy.step, name: policy.name,
            key: "\(policy.key).encryption")
    }
}
