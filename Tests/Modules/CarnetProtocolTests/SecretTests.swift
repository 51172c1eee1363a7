import CarnetDescriptors
import CarnetFoundation
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import CarnetProtocol

@Suite("Secret")
struct SecretTests {
    private struct Holder {
        var secret = Secret("s3cret-text")
        var list = [Secret("s3cret-text")]
        var optional: Secret? = Secret("s3cret-text")
        var keyed = [Secret("s3cret-text"): Secret("s3cret-text")]
    }

    // LOG-01, CAUTH-10.
    @Test("Is not seen however it is printed")
    func isNotSeenHoweverItIsPrinted() {
        let secret = Secret("s3cret-text")
        var nested = ""
        print(secret, [secret], Holder(), to: &nested)
        let texts = [
            "\(secret)", secret.description, secret.debugDescription, String(describing: secret),
            String(reflecting: secret),
            dumped(secret), dumped(Holder()), String(reflecting: Holder()), nested,
            "\(Mirror(reflecting: secret).children.map { "\($0)" })", "\(Optional(secret) as Any)",
            "\(Result<Secret, Never>.success(secret))",
        ]
        for text in texts { #expect(!text.contains("s3cret")) }
        #expect(Mirror(reflecting: secret).children.isEmpty)
        #expect(secret.reveal() == "s3cret-text")
    }

    // JOSE-29: by bytes, where Swift's texts compare by canonical equivalence.
    @Test("Is compared by bytes")
    func isComparedByBytes() {
        #expect(Secret("a") == Secret("a"))
        #expect(Secret("a") != Secret("b"))
        #expect(Secret("a") != Secret("ab"))
        #expect(Secret("") == Secret(""))
        #expect(Secret("e\u{301}") != Secret("\u{E9}"))
        #expect(Secret("K") != Secret("\u{212A}"))
        #expect(Set([Secret("e\u{301}"), Secret("\u{E9}")]).count == 2)
    }

    @Test("Is encoded for stores that encrypt")
    func isEncodedForStoresThatEncrypt() throws {
        let encoded = try JSONEncoder().encode([Secret("s3cret-text")])
        #expect(String(decoding: encoded, as: UTF8.self) == #"["s3cret-text"]"#)
        #expect(try JSONDecoder().decode([Secret].self, from: encoded) == [Secret("s3cret-text")])
    }
}

@Suite("Printed types")
struct PrintedTypesTests {
    private func expectNone(of secrets: [String], in value: some Any, sourceLocation: SourceLocation = #_sourceLocation)
    {
        for text in ["\(value)", String(reflecting: value), dumped(value)] {
            for secret in secrets where text.contains(secret) {
                Issue.record("\(type(of: value)) shows a secret", sourceLocation: sourceLocation)
            }
        }
    }

    // LOG-01.
    @Test("Requests and responses show no secrets")
    func requestsAndResponsesShowNoSecrets() throws {
        let attempt = try Attempt(secret: "s3cret-text")
        let nonce = try #require(attempt.sent["nonce"])
        let challenge = try #require(attempt.sent["code_challenge"])
        let request = try attempt.exchange(code: "s3cret-code")
        let verifier = try #require(request.form["code_verifier"])
        let secrets = [
            attempt.state, nonce, challenge, "s3cret-code", verifier, "s3cret-text",
            Data("client:s3cret-text".utf8).base64EncodedString(),
        ]
        expectNone(of: secrets, in: attempt.request)
        expectNone(of: secrets, in: attempt.pending)
        expectNone(of: secrets, in: attempt.registration)
        expectNone(of: secrets, in: request)
        expectNone(of: secrets, in: request.outgoing)
        expectNone(of: secrets, in: request.redacted)
        expectNone(of: secrets, in: try attempt.validate("state=\(attempt.state)&code=s3cret-code"))
    }

    // LOG-01.
    @Test("Tokens show no secrets")
    func tokensShowNoSecrets() throws {
        let attempt = try Attempt(Fixture.plain)
        let reply = IncomingResponse.json(
            #"{"access_token":"at-s3cret","token_type":"bearer","refresh_token":"rt-s3cret","x":{"id_token":"it-s3cret"}}"#
        )
        let response = try TokenResponse(validating: reply, to: try attempt.exchange(), from: attempt.provider)
        expectNone(of: ["s3cret"], in: response)
        expectNone(of: ["s3cret"], in: reply)
        expectNone(of: ["s3cret"], in: TokenSet(response, requested: [], now: Attempt.now))
        expectNone(of: ["s3cret"], in: RedactedResponse(reply, to: try attempt.exchange()))
    }

    // LOG-01: whatever shape the response has.
    @Test(
        "Token response of any shape is shown without tokens",
        arguments: [
            #""at-s3cret""#, #"["at-s3cret"]"#, #"{"access_token":["at-s3cret"]}"#,
            #"{"access_token":{"v":"at-s3cret"}}"#,
            #"{"data":[{"refresh_token":"at-s3cret"}]}"#, #"{"unknown":"at-s3cret"}"#, "at-s3cret",
            #"{"tokens":[["at-s3cret"]]}"#, #"{"scope":["a",{"x":"at-s3cret"}]}"#,
        ])
    func tokenResponseOfAnyShapeIsShownWithoutTokens(_ body: String) throws {
        let shown = RedactedResponse(.json(body), to: try Attempt(Fixture.plain).exchange())
        #expect(!shown.body.contains("s3cret"))
    }

    @Test("Harmless members are shown")
    func harmlessMembersAreShown() throws {
        let shown = RedactedResponse(
            .json(#"{"token_type":"bearer","expires_in":60,"scope":"a b","access_token":"x"}"#),
            to: try Attempt(Fixture.plain).exchange()
        )
        #expect(
            shown.body
                == #"{"token_type":"bearer","expires_in":60,"scope":"a b","access_token":"[redacted]"}"#)
    }

    @Test("A very short secret is removed as a word, and does not shred other words")
    func shortSecret() {
        let hidden = [Secret("c"), Secret("12345"), Secret("long-enough-secret")]
        func shown(_ text: String) -> String { ServerError(code: text, hiding: hidden).code }
        #expect(shown("bad_verification_code") == "bad_verification_code")
        #expect(shown("code=c; pin=12345.") == "code=[redacted]; pin=[redacted].")
        #expect(shown("c") == "[redacted]")
        #expect(shown("x12345 and 123456") == "x12345 and 123456")
        #expect(shown("xlong-enough-secretx") == "x[redacted]x")
    }

    // LOG-01: a secret that JSON writes with escapes.
    @Test("Echo with escapes is removed")
    func echoWithEscapesIsTakenOut() throws {
        let attempt = try Attempt(
            Fixture.plain + "client: { authentication: [client_secret_post] }\n", secret: #"s3"cr\et/x"#)
        let echo = (["error": "x", "error_description": #"not s3"cr\et/x"#] as JSONValue).jsonText()
        let shown = RedactedResponse(.json(echo, status: 400), to: try attempt.exchange())
        #expect(!shown.body.contains("s3"))
        #expect(shown.body.contains("[redacted]"))
    }

    @Test("Elsewhere members that speak of secrets are hidden")
    func elsewhereMembersThatSpeakOfSecretsAreHidden() throws {
        let provider = try Fixture.provider()
        let tokens = TokenSet(
            accessToken: Secret("access-token-1"), tokenType: "Bearer", scopes: [], issuedAt: Attempt.now)
        let shown = RedactedResponse(
            .json(#"{"sub":"u","session_id":"s3cret","api_tokens":["s3cret"],"name":"Ada"}"#),
            to: try Profile.request(tokens, at: provider)
        )
        #expect(!shown.body.contains("s3cret"))
        #expect(shown.body.contains("Ada"))
    }

    @Test(
        "A name speaks of a secret by its words",
        arguments: [
            ("access_token", true), ("accessToken", true), ("accesstoken", true), ("API-Key", true), ("apikey", true),
            ("sessionID", true), ("auth_code", true), ("code", true), ("jwt", true), ("client_secrets", true),
            ("token2", true), ("password_value", true), ("zip_code", false), ("promo_code", false),
            ("token_type", false),
            ("encoded_account_id", false), ("access_token_expiration", false), ("country_code", false), ("key", false),
            ("token_endpoint", false), ("code_challenge_methods_supported", false), ("secretary", false),
        ])
    func aNameSpeaksOfASecretByItsWords(name: String, isSecret: Bool) {
        #expect(SecretName.isSecret(name) == isSecret)
    }

    @Test("Long body is cut")
    func longBodyIsCut() throws {
        let provider = try Fixture.provider()
        let tokens = TokenSet(
            accessToken: Secret("access-token-1"), tokenType: "Bearer", scopes: [], issuedAt: Attempt.now)
        for long in [String(repeating: "x", count: 1 << 20), "e" + String(repeating: "\u{301}", count: 1 << 19)] {
            let shown = RedactedResponse(.json("{\"name\":\"\(long)\"}"), to: try Profile.request(tokens, at: provider))
            #expect(shown.body.utf8.count < 20_000)
        }
    }
}
