import CarnetDescriptors
import CarnetProtocol
import Foundation

/// ID tokens: what the provider did not sign is not believed, and what it signed only if it is for this client, now.
struct TokenTarget: FuzzTarget {
    private static let separator: UInt8 = 0x0A

    private let acme: FuzzProvider
    private let keys: JSONWebKeySet
    private let expectations: IDTokenExpectations
    private let valid: String
    private let raw: ByteMutator
    private let header: JSONMutator
    private let claims: JSONMutator

    init(corpus: [[UInt8]]) throws {
        acme = try FuzzProvider()
        keys = try acme.keys
        valid = try acme.signed(Array(FuzzProvider.header.utf8), Array(FuzzProvider.claims.utf8))
        expectations = try IDTokenExpectations(
            from: acme.provider, as: acme.registration, nonce: .ofRefresh, accessToken: Secret("access"))
        raw = ByteMutator(
            seeds: [Array(valid.utf8)] + corpus,
            words: ["eyJhbGciOiJub25lIn0", "eyJhbGciOiJIUzI1NiJ9", "..", "a.b.c.d.e"])
        header = JSONMutator(
            seeds: [Array(FuzzProvider.header.utf8)],
            words: ["alg", "kid", "typ", "crit", "jwk", "jku", "x5u", "none", "HS256", "RS256", "JWT", "at+jwt", "b64"])
        claims = JSONMutator(
            seeds: [
                Array(FuzzProvider.claims.utf8),
                Array(FuzzProvider.claims.replacing("\"client\"", with: "[\"client\",\"b\"],\"azp\":\"client\"").utf8),
                Array(
                    FuzzProvider.claims.replacing("}", with: ",\"nbf\":1800000000,\"nonce\":\"n\",\"at_hash\":\"x\"}")
                        .utf8),
            ],
            words: ["iss", "sub", "aud", "azp", "exp", "iat", "nbf", "nonce", "at_hash", "auth_time", "acr", "events"])
    }

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

    /// The rules of OpenID Connect Core, section 3.1.3.7, read with another reader of JSON.
    private func check(_ token: IDToken, header: [UInt8], claims: [UInt8]) throws(InputCheck.Violation) {
        func object(_ bytes: [UInt8]) -> [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] ?? [:]
        }
        let (header, claims) = (object(header), object(claims))
        try require(header["alg"] as? String == "ES256" && header["crit"] == nil, "the header was not read as it is")
        try require(claims["iss"] as? String == FuzzProvider.issuer, "of another issuer")
        let audience = claims["aud"] as? [String] ?? (claims["aud"] as? String).map { [$0] } ?? []
        try require(audience.contains("client"), "for another client")
        try require(audience.count == 1 || claims["azp"] as? String == "client", "for further clients")
        let now = FuzzProvider.now.timeIntervalSince1970
        try require((claims["exp"] as? Double ?? 0) > now - 61, "it has ended")
        try require((claims["iat"] as? Double ?? .infinity) < now + 61, "it is of the future")
        try require((claims["nbf"] as? Double ?? 0) < now + 61, "it is not valid yet")
        try require(token.subject == claims["sub"] as? String && !token.subject.isEmpty, "of another user")
    }
}
