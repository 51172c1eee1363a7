import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation

/// Checks the claims that only an ID token has. Its signature is already checked.
struct ClaimsChecker {
    let claims: JWTClaims
    let expectations: IDTokenExpectations
    let now: Date

    /// - Parameter algorithm: `nil` for HS256.
    func check(algorithm: SignatureAlgorithm?) throws(OAuthError) -> (issuer: String, subject: String) {
        let issuer = try claims.issuer(expected: expectations.issuer) { issuer in
            expectations.provider.shared.acceptsIssuer(issuer, ofTokenWith: { claims.all[$0]?.string })
        }
        guard let issuer else { throw claims.missing("iss") }
        // OpenID Connect Core, section 12.2: a refresh does not change the issuer.
        if let continued = expectations.continuedIssuer, !issuer.isSameBytes(as: continued) {
            throw OAuthError(
                .idToken, .issuerMismatch,
                "the refreshed ID token is from the issuer \"\(issuer.quotable())\" instead of \(continued)",
                descriptorKey: "issuer_match")
        }
        try checkAuthorizedParty(of: try claims.audience(naming: own))
        try claims.checkTimes(at: now, skew: expectations.provider.clockSkew)
        try checkNonce()
        try checkHashes(algorithm)
        try checkAuthentication()
        let subject = try claims.string("sub", longest: ReceivedLimit.subject)
        if let expected = expectations.subject, !subject.isSameBytes(as: expected) {
            throw OAuthError(
                .idToken, .subjectMismatch,
                "the refreshed ID token is for another user: its sub is \"\(subject.quotable(limit: 80))\", "
                    + "not \"\(expected.quotable(limit: 80))\"",
                hint: "the provider changed the user's subject, or another user's token was refreshed: {sign_in}")
        }
        // OpenID Connect Back-Channel Logout, section 2.4: only a logout token has events.
        guard claims.all["events"] == nil else {
            throw OAuthError(.idToken, .wrongTokenUse, "the token is a logout token, not an ID token")
        }
        return (issuer, subject)
    }

    private var own: [String] { [expectations.clientID] + expectations.otherClients }

    /// OpenID Connect Core, section 3.1.3.7, rules 3 and 4: several audiences require `azp`, which must be this
    /// client.
    private func checkAuthorizedParty(of audience: [String]) throws(OAuthError) {
        let authorizedParty = claims["azp"]
        if let authorizedParty, !own.contains(where: { authorizedParty.string?.isSameBytes(as: $0) ?? false }) {
            throw OAuthError(
                .idToken, .authorizedPartyMismatch,
                "the ID token was issued to another client: its azp is "
                    + "\"\(authorizedParty.scalarText?.quotable(limit: 80) ?? "no string")\", not \"\(expectations.clientID)\""
            )
        }
        let others = expectations.provider.idToken.otherAudiences
        func isTrusted(_ name: String) -> Bool { (own + others).contains { name.isSameBytes(as: $0) } }
        let isOne = audience.dropFirst().allSatisfy { $0.isSameBytes(as: audience[0]) }
        guard isOne || authorizedParty != nil || !others.isEmpty && audience.allSatisfy(isTrusted) else {
            throw OAuthError(
                .idToken, .audienceMismatch,
                "the ID token has further audiences, and does not name the client that it was issued to (azp): its aud is "
                    + audience.prefix(5).map { "\"\($0.quotable(limit: 80))\"" }.joined(separator: ", "),
                descriptorKey: "id_token.other_audiences")
        }
    }

    private func checkNonce() throws(OAuthError) {
        let claim = claims["nonce"]
        let isExpected =
            switch expectations.nonce {
            case .ofRefresh: true
            case .continuing(let nonce): claim == nil || claim?.string.map(Secret.init) == nonce
            case .exactly(nil): claim == nil
            case .exactly(let nonce?): claim?.string.map(Secret.init) == nonce
            }
        guard isExpected else {
            throw OAuthError(
                .idToken, .nonceMismatch,
                claim == nil
                    ? "the ID token does not repeat the nonce" : "the ID token has the nonce of another sign-in",
                descriptorKey: "authorization.nonce")
        }
    }

    /// Whether the user's authentication is recent and strong enough for the request (OpenID Connect Core, section
    /// 3.1.3.7, rules 12 and 13).
    private func checkAuthentication() throws(OAuthError) {
        if let maxAge = expectations.maxAge {
            let last = try claims.requiredTime("auth_time").addingTimeInterval(
                TimeInterval(maxAge) + expectations.provider.clockSkew)
            guard now <= last else {
                throw OAuthError(.idToken, .authenticationTooOld, "the user signed in earlier than max_age allows")
            }
        }
        guard !expectations.essentialACRs.isEmpty else { return }
        let acr = claims["acr"]
        guard let text = acr?.string, expectations.essentialACRs.containsBytes(of: text) else {
            throw OAuthError(
                .idToken, .authenticationTooWeak,
                (acr.map { "the user authenticated with the acr \"\($0.shown)\"" }
                    ?? "the ID token has no acr, which says how the user signed in") + "; required: "
                    + expectations.essentialACRs.joined(separator: " ").quotable())
        }
    }

    /// OpenID Connect Core, sections 3.1.3.6 and 3.3.2.11: hashes of the access token and the code. Some servers add
    /// `c_hash` where it is not required.
    private func checkHashes(_ algorithm: SignatureAlgorithm?) throws(OAuthError) {
        // A token that came alone may have the hash of an access token that the app keeps.
        if let token = expectations.accessToken {
            try checkHash("at_hash", of: token, algorithm, .accessTokenHashMismatch, "the access token")
        } else if let claim = claims["at_hash"], claim.string == nil {
            throw OAuthError(.idToken, .accessTokenHashMismatch, "at_hash in the ID token is not a string")
        }
        if let code = expectations.code { try checkHash("c_hash", of: code, algorithm, .codeHashMismatch, "the code") }
    }

    /// Checks that a claim is absent, or the left half of the hash by the signature's algorithm. It is no secret.
    private func checkHash(
        _ name: String, of secret: Secret, _ algorithm: SignatureAlgorithm?, _ kind: OAuthError.Kind, _ what: String
    ) throws(OAuthError) {
        guard let claim = claims[name] else { return }
        let bytes = Array(secret.reveal().utf8)
        let digest: [UInt8] =
            switch algorithm {
            case nil, .RS256, .PS256, .ES256: Array(SHA256.hash(bytes))
            case .RS384, .PS384, .ES384: Array(SHA384.hash(bytes))
            case .RS512, .PS512, .ES512, .EdDSA: Array(SHA512.hash(bytes))
            }
        let expected = Base64URL.encode(digest.prefix(digest.count / 2))
        guard !(claim.string.map { constantTimeEquals($0.utf8, expected.utf8) } ?? false) else { return }
        throw OAuthError(
            .idToken, kind,
            "\(name) in the ID token does not match \(what): it is "
                + "\"\(claim.scalarText?.quotable(limit: 80) ?? "no string")\", not \"\(expected)\"")
    }
}
