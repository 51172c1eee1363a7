import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import Foundation

/// ID tokens, logout tokens and signed responses: what the provider did not sign is not believed, and what it signed only if
/// it is for this client, now.
struct TokenTarget: FuzzTarget {
    private static let separator: UInt8 = 0x0A

    private let acme: FuzzProvider
    private let keys: JSONWebKeySet
    private let expectations: IDTokenExpectations
    private let logout: LogoutTokenExpectations
    private let request: PreparedRequest
    private let verification: ResponseVerification
    private let valid: String
    private let raw: ByteMutator
    private let header: JSONMutator
    private let claims: JSONMutator

    init(corpus: [[UInt8]]) throws {
        acme = try FuzzProvider()
        keys = try acme.keys
        request = try acme.request()
        verification = try acme.verification
        valid = try acme.signed(Array(FuzzProvider.header.utf8), Array(FuzzProvider.claims.utf8))
        expectations = try IDTokenExpectations(
            from: acme.provider.discovered, as: acme.registration, nonce: .ofRefresh, accessToken: Secret("access"))
        logout = try LogoutTokenExpectations(from: acme.provider.discovered, as: acme.registration)
        raw = ByteMutator(
            seeds: [Array(valid.utf8)] + corpus,
            words: ["eyJhbGciOiJub25lIn0", "eyJhbGciOiJIUzI1NiJ9", "..", "a.b.c.d.e"])
        header = JSONMutator(
            seeds: [Array(FuzzProvider.header.utf8)],
            words: [
                "alg", "kid", "typ", "crit", "jwk", "jku", "x5u", "none", "HS256", "RS256", "JWT", "at+jwt", "b64",
                "logout+jwt",
                "token-introspection+jwt",
            ])
        claims = JSONMutator(
            seeds: [
                Array(FuzzProvider.claims.utf8),
                Array(FuzzProvider.claims.replacing("\"client\"", with: "[\"client\",\"b\"],\"azp\":\"client\"").utf8),
                Array(
                    FuzzProvider.claims.replacing("}", with: ",\"nbf\":1800000000,\"nonce\":\"n\",\"at_hash\":\"x\"}")
                        .utf8),
                Array(Self.logoutClaims.utf8),
                Array(FuzzProvider.claims.replacing("}", with: #","token_introspection":{"active":true}}"#).utf8),
            ],
            words: [
                "iss", "sub", "aud", "azp", "exp", "iat", "nbf", "nonce", "at_hash", "auth_time", "acr", "events",
                "sid",
                "jti", "token_introspection", "active", Self.event,
            ])
    }

    private static let event = "http://schemas.openid.net/event/backchannel-logout"
    private static let logoutClaims = FuzzProvider.claims.replacing(
        "}", with: #","sid":"s","jti":"j","events":{"\#(event)":{}}}"#)

    /// Either a token, or two lines that are signed: a header and claims.
    func input(_ random: inout SplitMix64) -> [UInt8] {
        if random.once(in: 3) { return raw.input(&random) }
        let header = random.once(in: 3) ? header.input(&random) : Array(FuzzProvider.header.utf8)
        return header.filter { $0 != Self.separator } + [Self.separator] + claims.input(&random)
    }

    func check(_ bytes: [UInt8], index: Int) throws(InputCheck.Violation) {
        let parts = bytes.split(separator: Self.separator, maxSplits: 1, omittingEmptySubsequences: false)
        let isSigned = parts.count == 2
        let text =
            isSigned
            ? (try? acme.signed(Array(parts[0]), Array(parts[1]))) ?? "" : String(decoding: bytes, as: UTF8.self)
        _ = try? IDToken(storedAfterValidation: Secret(text))
        let claimed = isSigned ? Self.object(Array(parts[1])) : [:]
        try checkLogout(text, claimed)
        try checkResponses(text, claimed)
        let token: IDToken
        do throws(OAuthError) {
            token = try IDToken(validating: Secret(text), with: keys, expecting: expectations, now: FuzzProvider.now)
        } catch {
            try require(error.step == .idToken, "the step is \(error.step)")
            return try FuzzProvider.check(error)
        }
        guard isSigned else { return try require(text == valid, "a token is believed that nobody signed") }
        try check(token, header: Array(parts[0]), claims: Array(parts[1]))
    }

    private static func object(_ bytes: [UInt8]) -> [String: Any] {
        func read(_ text: String) -> [String: Any]? {
            (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
        }
        let text = String(decoding: bytes, as: UTF8.self)
        // The other reader gives up at numbers that no Double holds.
        return read(text) ?? read(text.replacing(#/[eE]\+?[0-9]{3,}/#, with: "e300")) ?? [:]
    }

    private static func names(_ audience: Any?) -> [String] {
        audience as? [String] ?? (audience as? String).map { [$0] } ?? []
    }

    /// OpenID Connect Back-Channel Logout, section 2.6.
    private func checkLogout(_ text: String, _ claims: [String: Any]) throws(InputCheck.Violation) {
        let token: LogoutToken
        do throws(OAuthError) {
            token = try LogoutToken(validating: Secret(text), with: keys, expecting: logout, now: FuzzProvider.now)
        } catch {
            try require(error.step == .logout, "the step is \(error.step)")
            return try FuzzProvider.check(error)
        }
        try require(token.session.issuer == FuzzProvider.issuer, "a logout of another issuer")
        try require((claims["events"] as? [String: Any])?[Self.event] is [String: Any], "no logout")
        try require(claims["nonce"] == nil && claims["jti"] is String, "an ID token ends a session")
        try require(Self.names(claims["aud"]).contains("client"), "a logout for another client")
    }

    /// Profiles and introspections that are JWTs.
    private func checkResponses(_ text: String, _ claims: [String: Any]) throws(InputCheck.Violation) {
        do throws(OAuthError) {
            _ = try Profile(
                validating: FuzzProvider.response(Array(text.utf8), type: "application/jwt"), to: request,
                from: acme.provider, subject: "user-1", verifyingBy: verification)
        } catch {
            try FuzzProvider.check(error)
        }
        do throws(OAuthError) {
            let response = FuzzProvider.response(Array(text.utf8), type: "application/token-introspection+jwt")
            _ = try Introspection(
                validating: response, to: request, from: acme.provider, now: FuzzProvider.now, verifyingBy: verification
            )
        } catch {
            return try FuzzProvider.check(error)
        }
        try require(claims["iss"] as? String == FuzzProvider.issuer, "an introspection of another issuer")
        try require(Self.names(claims["aud"]).contains("client"), "an introspection for another client")
    }

    /// The rules of OpenID Connect Core, section 3.1.3.7, read with another reader of JSON.
    private func check(_ token: IDToken, header: [UInt8], claims: [UInt8]) throws(InputCheck.Violation) {
        let (header, claims) = (Self.object(header), Self.object(claims))
        try require(header["alg"] as? String == "ES256" && header["crit"] == nil, "the header was not read as it is")
        try require(claims["iss"] as? String == FuzzProvider.issuer, "of another issuer")
        let audience = Self.names(claims["aud"])
        try require(audience.contains("client"), "for another client")
        try require(audience.count == 1 || claims["azp"] as? String == "client", "for further clients")
        let now = FuzzProvider.now.timeIntervalSince1970
        // Not as a Double, which a number past 2^53 is not exactly.
        func time(_ name: String) -> TimeInterval? { (claims[name] as? NSNumber)?.doubleValue }
        try require(time("exp") ?? 0 > now - 61, "it has ended")
        try require(time("iat") ?? .infinity < now + 61, "it is of the future")
        try require(time("nbf") ?? 0 < now + 61, "it is not valid yet")
        // The other reader drops byte order marks.
        let subject = token.subject.replacing("\u{FEFF}", with: "")
        let claimed = (claims["sub"] as? String)?.replacing("\u{FEFF}", with: "")
        try require(subject == claimed && !token.subject.isEmpty, "of another user")
    }
}
