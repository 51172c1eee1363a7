import CarnetDescriptors
package import CarnetFoundation

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
        let signed = try JSONWebEncryption.signedToken(
            in: token, policy, encryptedAs: expected.encryption, for: verification.registration)
        try self.init(decrypted: signed, policy, expecting: expected, by: verification)
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
        try claims.audience(naming: [verification.registration.clientID, expected.otherAudience].compactMap { $0 })
        try claims.checkTimes(at: verification.now, skew: expected.provider.clockSkew)
        self.claims = claims.all
    }
}

/// What validates a signed response: the signer's keys, the expected audience and the current time.
package struct ResponseVerification: Sendable {
    package var keys: JSONWebKeySet
    package var registration: ClientRegistration
    package var now: Date

    /// - Parameter keys: The keys of the provider.
    package init(with keys: JSONWebKeySet, for registration: ClientRegistration, now: Date) {
        self.keys = keys
        self.registration = registration
        self.now = now
    }
}
