import CarnetDescriptors
import CarnetLint
import Testing

/// What makes a sign-in weaker is an error, and none with a reason, where the language takes one.
@Suite("Weakening")
struct WeakeningTests {
    private static let reason = "their guide of November 2026 says so"

    struct Weakness: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The key with what makes the sign-in weaker.
        let text: String
        let code: String
        /// The same with a reason; `nil` where no reason is good enough.
        let withReason: String?

        init(_ name: String, _ text: String, _ code: String, withReason: String? = nil) {
            testDescription = name
            self.text = text
            self.code = code
            self.withReason = withReason
        }
    }

    static let weaknesses = [
        Weakness(
            "no proof key", "authorization: { pkce: none }", "K007",
            withReason: "authorization: { pkce: { none: \(reason) } }"),
        Weakness(
            "no nonce", "authorization: { nonce: none }", "K007",
            withReason: "authorization: { nonce: { none: \(reason) } }"),
        Weakness(
            "a nonce that nobody insists on", "authorization: { nonce: { optional: '' } }", "K008",
            withReason: "authorization: { nonce: { optional: \(reason) } }"),
        Weakness(
            "any issuer", "issuer_match: none", "K007",
            withReason: "issuer_match: { none: \(reason) }"),
        Weakness("an empty reason", "authorization: { pkce: { none: '' } }", "K008"),
        Weakness("the plain proof key", "authorization: { pkce: plain }", "K004"),
        Weakness(
            "the plain proof key as a parameter", "authorization: { parameters: { code_challenge_method: plain } }",
            "C003"),
        Weakness("the proof key's method left out", "authorization: { omit: [code_challenge_method] }", "C005"),
        Weakness("no verifier", "token: { omit: [code_verifier] }", "C005"),
        Weakness("no state", "authorization: { state: none }", "K004"),
        Weakness(
            "the state elsewhere", "authorization: { state: { in: redirect_uri } }", "K003",
            withReason: "authorization: { state: { in: redirect_uri, because: \(reason) } }"),
        Weakness("no state in the request", "authorization: { omit: [state] }", "C005"),
        Weakness("a constant state", "authorization: { parameters: { state: x } }", "C004"),
        Weakness("symmetric signatures", "id_token: { algorithms: [RS256, HS256] }", "K004"),
        Weakness(
            "the secret signs", "id_token: { hs256: }", "K002",
            withReason: "id_token: { hs256: \(reason) }"),
        Weakness(
            "a logout token without an end", "logout: { missing_exp: }", "K002",
            withReason: "logout: { missing_exp: \(reason) }"),
        Weakness(
            "the token in the query", "api: { token_in: { query: token } }", "K007",
            withReason: "api: { token_in: { query: token, because: \(reason) } }"),
        Weakness("no signatures", "id_token: { algorithms: [none] }", "K004"),
        Weakness("an http issuer", "issuer: http://id.acme.example", "E001"),
        Weakness(
            "an http endpoint", "issuer: https://id.acme.example\nendpoints: { token: http://id.acme.example/token }",
            "E001"),
        Weakness("an http redirect", "redirects: [http://app.example/callback]", "C013"),
        Weakness(
            "an address that nobody verified", "profile: { derive: { email_verified: 'true' } }", "T065",
            withReason: "profile: { derive: { email_verified: 'true' } }\n"
                + "notes: [{ about: profile.derive.email_verified, because: \(reason) }]"),
        Weakness("tokens in the callback", "authorization: { response_type: token }", "C030"),
    ]

    private func lint(_ text: String) -> [Diagnostic] {
        Linter().lint(files: [MarkedExample(completing: text + "\n").file(named: "acme.yaml")]).diagnostics
    }

    @Test("Without a reason it is an error", arguments: weaknesses)
    func withoutAReason(_ weakness: Weakness) {
        let found = lint(weakness.text)
        #expect(found.map(\.code) == [weakness.code], "\(found)")
        #expect(found.allSatisfy { $0.severity == .error })
    }

    @Test("With a reason there is no finding", arguments: weaknesses.filter { $0.withReason != nil })
    func withAReason(_ weakness: Weakness) throws {
        #expect(lint(try #require(weakness.withReason)) == [])
    }

    @Test("A note with a reason about the key answers a reminder, and a note about another key does not")
    func aNoteIsAReason() {
        let keys = "token: { method: GET, body: query }\nredirects: ['http://localhost:{port}/cb']\n"
        func note(_ key: String) -> String { "notes: [{ about: \(key), because: \(Self.reason) }]\n" }
        #expect(lint(keys + note("token.body")).map(\.code) == ["C015"])
        #expect(lint(keys + note("redirects")).map(\.code) == ["C010"])
        #expect(lint(keys + note("token")).map(\.code) == ["C010", "C015"])
        // A reason explains the provider, not a mistake in the file.
        #expect(lint("docs: x\n" + note("docs")).map(\.code) == ["M005"])
    }
}
