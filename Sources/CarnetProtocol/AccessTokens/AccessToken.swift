package import CarnetDescriptors
package import CarnetFoundation

/// An access token that a request brought to a resource server, once it is validated.
package struct AccessToken: Sendable {
    /// `nil` if an introspection response names none.
    package let issuer: String?
    package let subject: String?
    package let clientID: String?
    package let scopes: [String]
    /// All claims of the token, or all members of the introspection response.
    package let claims: JSONObject
    package let expiresAt: Date?
    package let confirmation: Confirmation

    /// The key that the sender must have (RFC 7800, section 3.1).
    package enum Confirmation: Sendable, Hashable {
        case none
        /// The thumbprint of the key of a DPoP proof (RFC 9449, section 6.1).
        case key(String)
        /// The thumbprint of a client certificate (RFC 8705, section 3.1).
        case certificate(String)

        /// - Throws: `OAuthError` for a method that Carnet does not support: the token must not count as unbound.
        init(_ claim: JSONValue?) throws(OAuthError) {
            guard let claim, !claim.isNull else {
                self = .none
                return
            }
            let members = claim.object?.members ?? []
            switch (members.count, members.first?.name, members.first?.value.string) {
            case (1, "jkt"?, let thumbprint?): self = .key(thumbprint)
            case (1, "x5t#S256"?, let thumbprint?): self = .certificate(thumbprint)
            default:
                throw OAuthError(
                    .accessToken, .unsupported, "the access token is bound to a key by an unknown method (cnf)")
            }
        }
    }
}

/// An access token in the form of a JWT as it arrived; nothing of it is trusted.
package struct ReceivedAccessToken: Sendable {
    private let signature: JSONWebSignature
    private let claims: JWTClaims
    /// The issuer that it names.
    package let issuer: String

    /// - Throws: `OAuthError` at step `accessToken`.
    package init(_ token: Secret) throws(OAuthError) {
        let policy = JWTPolicy.accessToken
        signature = try JSONWebSignature(token, step: policy.step)
        claims = try JWTClaims(of: signature, policy)
        issuer = try claims.string("iss", longest: ReceivedLimit.issuer)
    }

    /// Whether a token has the form of a signed JWT, so that it is not an opaque one.
    package static func hasForm(_ token: Secret) -> Bool {
        token.reveal().withBytes { text in
            let dot = UInt8(ascii: ".")
            guard let first = text.place(of: dot), let second = text.place(of: dot, from: first + 1),
                text.place(of: dot, from: second + 1) == nil
            else { return false }
            // The first four characters are three bytes of the header.
            return Base64URL.decode(text[..<min(first, 4)])?.first == UInt8(ascii: "{")
        }
    }

    /// Whether the issuer is one of a provider's own. Issuers are compared as bytes.
    package func isIssued(by provider: some ProviderStage) -> Bool {
        provider.shared.acceptsIssuer(issuer) { claims.all[$0]?.string }
    }

    /// Checks everything but the signature, so that an obviously invalid token causes no request for keys.
    ///
    /// - Parameters:
    ///   - provider: The provider whose issuer it names.
    ///   - audiences: The names of this resource server.
    /// - Throws: `OAuthError` at step `accessToken`.
    package func checked(
        from provider: DiscoveredProvider, naming audiences: [String], now: Date
    ) throws(OAuthError) -> CheckedAccessToken {
        let rules = provider.accessToken
        let policy = claims.policy
        _ = try claims.issuer(expected: provider.issuer) { _ in isIssued(by: provider) }
        let algorithm = try policy.algorithm(of: signature, among: SignatureAlgorithm.allCases)
        try policy.checkType(of: signature)
        try checkUse(rules)
        try claims.audience(naming: audiences, in: rules.audience)
        let end = try claims.checkTimes(at: now, skew: provider.clockSkew)
        // A client's own token may have no subject. An empty one would be an account that nobody has, and is refused.
        let hasSubject = claims.all["sub"].map { !$0.isNull } ?? false
        let token = AccessToken(
            issuer: issuer, subject: hasSubject ? try claims.string("sub", longest: ReceivedLimit.subject) : nil,
            clientID: try rules.client(in: claims.all), scopes: try AccessTokenRules.scopes(in: claims.all),
            claims: claims.all, expiresAt: end, confirmation: try AccessToken.Confirmation(claims["cnf"]))
        return CheckedAccessToken(signature: signature, algorithm: algorithm, token: token)
    }

    /// Whether it is an access token: an ID token or a logout token of the same issuer can have the same audience.
    private func checkUse(_ rules: AccessTokenRules) throws(OAuthError) {
        let isTyped = signature.typeName?.isSameBytes(as: "at+jwt") == true
        guard isTyped || rules.marks(claims.all) else {
            throw OAuthError(
                .accessToken, .wrongTokenUse,
                "the token has neither the type at+jwt nor a claim that only access tokens have",
                descriptorKey: claims.policy.key)
        }
        // OpenID Connect Core, section 3.1.3.6 and 3.3.2.11; OpenID Connect Back-Channel Logout, section 2.4.
        for name in ["at_hash", "c_hash", "events"] where claims.all[name] != nil {
            throw OAuthError(
                .accessToken, .wrongTokenUse, "the token has the claim \(name), which no access token has",
                descriptorKey: claims.policy.key)
        }
    }
}

/// An access token whose claims are right; the signature is still to be checked.
package struct CheckedAccessToken: Sendable {
    fileprivate let signature: JSONWebSignature
    fileprivate let algorithm: SignatureAlgorithm
    fileprivate let token: AccessToken

    /// The token, if a key of its issuer signed it.
    ///
    /// - Throws: `OAuthError`; of kind `keyNotFound` if a new key set might help.
    package func verified(with keys: JSONWebKeySet) throws(OAuthError) -> AccessToken {
        try signature.check(with: keys, algorithm, step: .accessToken, name: JWTPolicy.accessToken.name)
        return token
    }
}

extension AccessToken {
    /// The token that an introspection response describes.
    ///
    /// A response without an audience is for every resource server that may request it (RFC 7662, section 2.2).
    ///
    /// - Throws: `OAuthError` at step `accessToken` if the token is inactive, or for another use.
    package init(
        _ state: Introspection, from provider: some ProviderStage, naming audiences: [String]
    ) throws(OAuthError) {
        guard state.isActive else {
            throw OAuthError(.accessToken, .expiredToken, "the authorization server says that the token is not active")
        }
        let rules = provider.accessToken
        // A refresh token is active too.
        let isOfUse = state.tokenType.map { ["bearer", "dpop"].contains($0.lowercased()) } ?? true
        guard isOfUse, rules.allows(state.claims) else {
            throw OAuthError(
                .accessToken, .wrongTokenUse, "the authorization server says that the token is not an access token",
                descriptorKey: JWTPolicy.accessToken.key)
        }
        guard state.audience.isEmpty || state.audience.contains(where: { audiences.containsBytes(of: $0) }) else {
            throw JWTPolicy.accessToken.audienceMismatch(state.audience, in: "aud", instead: audiences)
        }
        issuer = state.issuer ?? provider.issuer
        subject = state.subject
        clientID = try rules.client(in: state.claims)
        scopes = state.scopes ?? []
        claims = state.claims
        expiresAt = state.expiresAt
        confirmation = try Confirmation(state.confirmation)
    }
}

extension AccessTokenRules {
    /// Whether one of the marks of an access token is among the claims.
    fileprivate func marks(_ claims: JSONObject) -> Bool {
        self.markedBy.contains { mark in
            let (name, value) = Self.parts(of: mark)
            guard let claim = claims[stated: name] else { return false }
            return value.map { claim.scalarText?.isSameBytes(as: $0) == true } ?? true
        }
    }

    /// Whether no claim has another value than that of its mark.
    fileprivate func allows(_ claims: JSONObject) -> Bool {
        self.markedBy.allSatisfy { mark in
            let (name, value) = Self.parts(of: mark)
            guard let value, let claim = claims[stated: name] else { return true }
            return claim.scalarText?.isSameBytes(as: value) == true
        }
    }

    private static func parts(of mark: String) -> (name: String, value: String?) {
        guard let equals = mark.utf8.firstIndex(of: UInt8(ascii: "=")) else { return (mark, nil) }
        return (String(mark[..<equals]), String(mark[equals...].dropFirst()))
    }

    fileprivate func client(in claims: JSONObject) throws(OAuthError) -> String? {
        for name in self.client {
            guard let value = claims[stated: name] else { continue }
            guard let id = value.string, !id.isEmpty else {
                throw OAuthError(
                    .accessToken, .wrongFieldType, "the claim \(name) of the access token is not a string",
                    descriptorKey: "access_token.client")
            }
            return id
        }
        return nil
    }

    /// The scopes of `scope` (RFC 9068, section 2.2.3), or of `scp`, which some servers send instead. Either may be a list.
    fileprivate static func scopes(in claims: JSONObject) throws(OAuthError) -> [String] {
        guard let value = claims[stated: "scope"] ?? claims[stated: "scp"] else { return [] }
        if let text = value.string {
            return text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
        }
        guard let list = value.listOfStrings else {
            throw OAuthError(
                .accessToken, .wrongFieldType,
                "the scopes of the access token are neither a string nor a list of strings")
        }
        return list
    }
}
