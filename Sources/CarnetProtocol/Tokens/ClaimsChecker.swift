import CarnetDescriptors
import Crypto
import Foundation

/// Checks the claims of an ID token whose signature is good.
struct ClaimsChecker {
    let claims: JSONObject
    let expectations: IDTokenExpectations
    let now: Date

    /// - Parameter algorithm: `nil` for HS256.
    func check(algorithm: SignatureAlgorithm?) throws(OAuthError) -> (issuer: String, subject: String) {
        let issuer = try text("iss")
        guard expectations.provider.acceptsIssuer(issuer, ofTokenWith: { claims[$0]?.string }) else {
            throw OAuthError(
                .idToken,
                .issuerMismatch,
                "the ID token is from \"\(issuer.quotable())\", not from \(expectations.issuer)",
                descriptorKey: "issuer"
            )
        }
        // OpenID Connect Core, section 12.2: a refresh does not change the issuer.
        if let continued = expectations.continuedIssuer, !issuer.isSameBytes(as: continued) {
            throw OAuthError(
                .idToken, .issuerMismatch, "the refreshed ID token is of another issuer", descriptorKey: "issuer_match")
        }
        try checkAudience()
        try checkTimes()
        try checkNonce()
        try checkHashes(algorithm)
        try checkAuthentication()
        let subject = try text("sub")
        guard subject.utf8.count <= 255 else { throw wrongType("sub", "a text of at most 255 bytes") }
        if let expected = expectations.subject, !subject.isSameBytes(as: expected) {
            throw OAuthError(.idToken, .subjectMismatch, "the refreshed ID token is of another user")
        }
        // OpenID Connect Back-Channel Logout, section 2.4: only a logout token has events.
        guard claims["events"] == nil else {
            throw OAuthError(.idToken, .wrongTokenUse, "the token is a logout token, not an ID token")
        }
        return (issuer, subject)
    }

    private func checkAudience() throws(OAuthError) {
        let audience: [String]
        switch claim("aud") {
        case .string(let single): audience = [single]
        case .array(let many):
            audience = many.compactMap(\.string)
            guard audience.count == many.count else { throw wrongType("aud", "a text or a list of texts") }
        case nil: throw missing("aud")
        default: throw wrongType("aud", "a text or a list of texts")
        }
        guard audience.contains(where: { $0.isSameBytes(as: expectations.clientID) }) else {
            throw OAuthError(.idToken, .audienceMismatch, "the ID token is for another client")
        }
        let authorizedParty = claims["azp"]
        if let authorizedParty, authorizedParty.string?.isSameBytes(as: expectations.clientID) != true {
            throw OAuthError(.idToken, .authorizedPartyMismatch, "the ID token was issued to another client")
        }
        // OpenID Connect Core, section 3.1.3.7, rules 3 and 4: further audiences need an authorized party to be us.
        guard audience.count == 1 || authorizedParty != nil else {
            throw OAuthError(
                .idToken, .audienceMismatch, "the ID token is for further clients, and names none it was issued to")
        }
    }

    private func checkTimes() throws(OAuthError) {
        let skew = expectations.clockSkew
        let expires = try time("exp")
        guard now < expires.addingTimeInterval(skew) else {
            throw OAuthError(
                .idToken,
                .expiredToken,
                "the ID token ended at \(stamp(expires)); the clock here says \(stamp(now))",
                descriptorKey: "id_token.clock_skew"
            )
        }
        let issued = try time("iat")
        guard issued <= now.addingTimeInterval(skew) else {
            throw OAuthError(
                .idToken,
                .issuedInFuture,
                "the ID token was issued at \(stamp(issued)); the clock here says \(stamp(now))",
                descriptorKey: "id_token.clock_skew",
                hint: "is the clock of this machine right?"
            )
        }
        if claims["nbf"] != nil, try time("nbf") > now.addingTimeInterval(skew) {
            throw OAuthError(
                .idToken, .notYetValid, "the ID token is not valid yet", descriptorKey: "id_token.clock_skew")
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
                .idToken,
                .nonceMismatch,
                claim == nil
                    ? "the ID token does not repeat the nonce"
                    : "the ID token repeats a nonce that is not the one of this sign-in",
                descriptorKey: "authorization.nonce"
            )
        }
    }

    /// OpenID Connect Core, sections 3.1.3.6 and 3.3.2.11: hashes of what came beside the token. Some servers add that of
    /// the code where nobody asked for it.
    private func checkHashes(_ algorithm: SignatureAlgorithm?) throws(OAuthError) {
        guard isHash(claims["at_hash"], of: expectations.accessToken, algorithm) else {
            throw OAuthError(
                .idToken, .accessTokenHashMismatch, "the access token is not the one that the ID token came with")
        }
        guard let code = expectations.code, !isHash(claims["c_hash"], of: code, algorithm) else { return }
        throw OAuthError(.idToken, .codeHashMismatch, "the code is not the one that the ID token was issued for")
    }

    /// Whether a claim is missing, or the left half of the hash that belongs to the signature's algorithm.
    private func isHash(_ claim: JSONValue?, of secret: Secret, _ algorithm: SignatureAlgorithm?) -> Bool {
        guard let claim else { return true }
        let bytes = Array(secret.reveal().utf8)
        let digest: [UInt8] =
            switch algorithm {
            case nil, .RS256, .PS256, .ES256: Array(SHA256.hash(data: bytes))
            case .RS384, .PS384, .ES384: Array(SHA384.hash(data: bytes))
            case .RS512, .PS512, .ES512, .EdDSA: Array(SHA512.hash(data: bytes))
            }
        let expected = Base64URL.encode(digest.prefix(digest.count / 2))
        return claim.string.map { constantTimeEquals($0.utf8, expected.utf8) } ?? false
    }

    /// A claim, read as the standard's type where the descriptor lets it be of another.
    private func claim(_ name: String) -> JSONValue? {
        guard let value = claims[name], let rule = CoercedClaim(rawValue: name),
            expectations.provider.coercedClaims.contains(rule)
        else { return claims[name] }
        switch (rule, value) {
        case (.subject, .number(let digits)), (.audience, .number(let digits)):
            return digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? .string(digits) : value
        case (.expires, .string(let text)), (.issued, .string(let text)), (.notBefore, .string(let text)):
            return (try? JSONValue(parsing: text)).flatMap { $0.double == nil ? nil : $0 } ?? value
        default: return value
        }
    }

    private func text(_ name: String) throws(OAuthError) -> String {
        guard let value = claim(name) else { throw missing(name) }
        guard let text = value.string, !text.isEmpty else { throw wrongType(name, "a text") }
        return text
    }

    func time(_ name: String) throws(OAuthError) -> Date {
        guard let value = claim(name) else { throw missing(name) }
        // 2^53: past it, a number has no exact second.
        guard let seconds = value.double, (0...9_007_199_254_740_992).contains(seconds) else {
            throw wrongType(name, "a time in seconds")
        }
        return Date(timeIntervalSince1970: seconds)
    }

    private func missing(_ name: String) -> OAuthError {
        OAuthError(.idToken, .missingField, "the ID token has no claim \(name)")
    }

    private func wrongType(_ name: String, _ expected: String) -> OAuthError {
        OAuthError(.idToken, .wrongFieldType, "the ID token's claim \(name) is not \(expected)")
    }

    private func stamp(_ date: Date) -> String {
        date.formatted(.iso8601)
    }
}
