// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Crypto
import Foundation
import HTTPTypes
import Testing

@Suite("TOK: the token endpoint's response", .searchedForSecrets)
struct TokenResponseAttackTests {
    @Test("TOK-01: Request is a post with a body")
    func TOK_01_requestIsAPostWithABody() async throws {
        try await accept { scenario, outcome in
            let request = try #require(scenario.requests(to: "/token").first)
            #expect(request.method == "POST")
            #expect(request.query.isEmpty)
            #expect(request.headers[.contentType] == "application/x-www-form-urlencoded")
            #expect(request.form["grant_type"] == "authorization_code")
            #expect(request.form["redirect_uri"] == Scenario.redirectURI)
            #expect(request.form["code_verifier"]?.utf8.count == 43)
            #expect(request.form["code"] != nil)
        }
    }

    @Test("TOK-02: Access token missing or odd")
    func TOK_02_accessTokenMissingOrOdd() async throws {
        let scenario = Scenario()
        let missing = await expectRefusal(.missingField) {
            try await Flow.signIn.run(scenario) { $0.token["access_token"] = nil }
        }
        #expect(missing?.step == .tokenRequest && missing?.descriptorKey == "token.response.fields.access_token")
        try await refuse(.tokenRequest, .missingField) { $0.token["access_token"] = .null }
        try await refuse(.tokenRequest, .wrongFieldType, each: ["", 5, [], ["a"], ["x": 1], true] as [JSONValue]) {
            $0.token["access_token"] = $1
        }
    }

    @Test("TOK-03: Token type")
    func TOK_03_tokenType() async throws {
        try await accept(each: ["bEaReR", "BEARER", "bearer"]) {
            $0.token["token_type"] = .string($1)
        } check: { scenario, outcome, _ in
            #expect(outcome.profile?.subject == "user-1")
            let header = scenario.requests(to: "/userinfo").first?.headers[.authorization]
            #expect(header?.hasPrefix("Bearer ") == true)
        }
        try await refuse(
            .tokenRequest, .unsupportedTokenType, each: ["mac", "N_A", "DPoP", "Bearer x", "Bearer ", "pop"]
        ) {
            $0.token["token_type"] = .string($1)
        }
        try await refuse(.tokenRequest, .missingField, each: [nil, .null, ""] as [JSONValue?]) {
            $0.token["token_type"] = $1
        }
        try await refuse(.tokenRequest, .wrongFieldType, each: [5, ["Bearer"]] as [JSONValue]) {
            $0.token["token_type"] = $1
        }
    }

    @Test("TOK-04: Lifetime")
    func TOK_04_lifetime() async throws {
        try await accept(each: [3600, "3600", .number("3600.0"), .number("3.6e3")] as [JSONValue]) {
            $0.token["expires_in"] = $1
        } check: { scenario, outcome, _ in
            #expect(outcome.tokens?.expiresAt == scenario.clock.now.addingTimeInterval(3600))
        }
        // What says nothing, or cannot be: the resource is what tells that the token has ended.
        try await accept(each: [nil, .null, "", -1, "-1", .number("-1e300")] as [JSONValue?]) {
            $0.token["expires_in"] = $1
        } check: { _, outcome, _ in
            #expect(outcome.tokens != nil)
            #expect(outcome.tokens?.expiresAt == nil)
        }
        let endless =
            [
                .number("1e300"), .number("99999999999999999999999"), "1e300",
                .number(String(repeating: "9", count: 100_000)),
            ] as [JSONValue]
        try await accept(each: endless) {
            $0.token["expires_in"] = $1
        } check: { scenario, outcome, _ in
            #expect(outcome.tokens?.expiresAt == scenario.clock.now.addingTimeInterval(3_155_760_000))
        }
        try await refuse(.tokenRequest, .wrongFieldType, each: ["x", "NaN", "inf", [], true] as [JSONValue]) {
            $0.token["expires_in"] = $1
        }
    }

    @Test("TOK-05: Scopes")
    func TOK_05_scopes() async throws {
        let cases: [(JSONValue?, [String])] = [
            (nil, ["openid", "profile", "email"]), ("openid", ["openid"]), ("", ["openid", "profile", "email"]),
            ([], []),
            ("openid admin", ["openid", "admin"]),
            (["openid", "profile"], ["openid", "profile"]),
        ]
        try await accept(each: cases) {
            $0.token["scope"] = $1.0
        } check: {
            #expect($1.tokens?.scopes == $2.1)
        }
        try await refuse(.tokenRequest, .wrongFieldType, each: [5, [5], true, ["a": 1]] as [JSONValue]) {
            $0.token["scope"] = $1
        }
    }

    @Test("TOK-06: Refresh token")
    func TOK_06_refreshToken() async throws {
        try await refuse(
            .tokenRequest, .wrongFieldType, each: [5, [], [:], true, "a\r\nb", "a\nb", "ü"] as [JSONValue]
        ) {
            $0.token["refresh_token"] = $1
        }
        try await accept(each: [nil, .null, ""] as [JSONValue?]) {
            $0.token["refresh_token"] = $1
        } check: { _, outcome, _ in
            #expect(outcome.tokens?.refreshToken == nil)
        }
    }

    @Test("TOK-07: ID token missing")
    func TOK_07_idTokenMissing() async throws {
        try await refuse(.tokenRequest, .missingField, each: [nil, .null, ""] as [JSONValue?]) {
            $0.token["id_token"] = $1
        }
        try await refuse(.tokenRequest, .wrongFieldType) { $0.token["id_token"] = 7 }
    }

    @Test("TOK-08: ID token that was not requested")
    func TOK_08_idTokenThatNobodyAskedFor() async throws {
        // Without an issuer nobody can say whose it is.
        try await refuse(.idToken, .badDescriptor, in: .plainSignIn) { $0.token["id_token"] = "{id_token}" }
    }

    @Test("TOK-09: Status")
    func TOK_09_status() async throws {
        try await refuse(.tokenRequest, .unexpectedStatus, each: [301, 302, 307, 400, 401, 403]) {
            $0.token.status = $1
        }
        try await refuse(.tokenRequest, .serverUnavailable, each: [500, 502, 503]) { $0.token.status = $1 }
        try await refuse(.tokenRequest, .tooManyRequests) { $0.token.status = 429 }
        try await refuse(.tokenRequest, .serverError) { $0.token = .error("invalid_grant", status: 200) }
        let scenario = Scenario()
        let beside = await expectRefusal(.serverError) {
            try await Flow.signIn.run(scenario) { $0.token["error"] = "invalid_grant" }
        }
        #expect(beside?.step == .tokenRequest && beside?.server?.code == "invalid_grant")
    }

    @Test("TOK-10: Error bodies")
    func TOK_10_errorBodies() async throws {
        let html = ServerResponse.text("<html>\u{1B}[2J broken</html>", status: 400, type: "text/html")
        let empty = ServerResponse.text("", status: 403, type: "text/plain")
        let unknown = ServerResponse.text("{\"error\":{\"message\":\"no\",\"code\":190}}", status: 400)
        let number = ServerResponse.text("{\"error\":[1]}", status: 400)
        try await refuse(.tokenRequest, .unexpectedStatus, each: [html, empty, unknown, number]) { $0.token = $1 }
        try await refuse(.tokenRequest, .serverError, each: ["invalid_code", "x\r\ny", "\u{1B}[31m"]) {
            $0.token = .error($1, status: 403)
        }
        let huge = ServerResponse(["error": .string(String(repeating: "e", count: 1 << 20))], status: 400)
        let scenario = Scenario()
        let error = await expectRefusal(.serverError) { try await Flow.signIn.run(scenario) { $0.token = huge } }
        #expect("\(try #require(error))".utf8.count < 1000)
    }

    /// A server repeats what was sent, or says tokens in an error.
    @Test("TOK-10: Error body with secrets")
    func TOK_10_errorBodyWithSecrets() async throws {
        let flow = Flow.signIn.registered { $0.authenticationMethod = .clientSecretPost }
        try await refuse(.tokenRequest, .serverError, in: flow) { script in
            script.token = ServerResponse(
                [
                    "error": "invalid_client", "access_token": "{secret}",
                    "error_description": .string("bad secret \(Scenario.clientSecret)"),
                ], status: 401)
        }
    }

    @Test(
        "TOK-11: Challenge",
        arguments: [
            "Bearer", "error=\"invalid_token\", error_description=x",
            "Bearer error=invalid_request,error_description=Invalid request",
            "Basic realm=\"x", "Basic realm=\"a\\\"b\", Bearer error=\"invalid_token\"", ",,,", "=", "Bearer =",
            "\u{1B}[2J",
            String(repeating: "Bearer a=b, ", count: 2000),
        ])
    func TOK_11_challenge(text: String) async throws {
        let flow = Flow.call.served { $0.token["refresh_token"] = nil }
        try await refuse(.resource, .unauthorized, in: flow) { script in
            script.resource = ServerResponse(["error": "x"], status: 401)
            script.resource.headers.append(("WWW-Authenticate", text))
        }
    }

    @Test("TOK-12: Form encoded response")
    func TOK_12_formEncodedResponse() async throws {
        let form = ServerResponse.text(
            "access_token=gho_0123456789&scope=profile%2Cemail&token_type=bearer",
            type: "application/x-www-form-urlencoded")
        try await refuse(.tokenRequest, .unexpectedContentType) { $0.token = form }
        let flow = Flow.plainSignIn.of(Flow.plain + "token: { response: { format: form, scope_separator: \",\" } }\n")
        let scenario = Scenario()
        let outcome = try await flow.run(scenario) { $0.token = form }
        #expect(outcome.tokens?.scopes == ["profile", "email"])
        let twice = Scenario()
        await expectRefusal(.malformedBody) {
            try await flow.run(twice) {
                $0.token = .text(
                    "access_token=a&access_token=b&token_type=bearer", type: "application/x-www-form-urlencoded")
            }
        }
    }

    @Test("TOK-13: Media types")
    func TOK_13_mediaTypes() async throws {
        try await accept(each: ["application/json;charset=UTF-8", "application/vnd.acme+json;v=1", "Application/JSON"])
        {
            $0.token.headers = [("Content-Type", $1)]
        }
        // A JSON object is read whatever its type (INT-33), and nothing else.
        try await refuse(.tokenRequest, .unexpectedContentType, each: ["text/html", "text/javascript", "image/png"]) {
            $0.token = .text("callback({})", type: $1)
        }
        try await refuse(.tokenRequest, .unexpectedContentType) {
            $0.token = .text("access_token=a&token_type=bearer")
            $0.token.headers = []
        }
    }

    @Test("TOK-14: Hostile JSON")
    func TOK_14_hostileJSON() async throws {
        let depth = 10_000
        try await refuse(
            .tokenRequest, .malformedBody,
            each: [
                #"{"access_token":"a","access_token":"b","token_type":"Bearer"}"#,
                String(repeating: "[", count: depth), String(repeating: #"{"a":"#, count: depth),
                String(repeating: "[", count: depth) + String(repeating: "]", count: depth),
                #"{"access_token":"\ud800","token_type":"Bearer"}"#, #"{"expires_in":01}"#, #"{"expires_in":+1}"#,
                #"{"expires_in":NaN}"#, "{\"a\":\"\u{0}\"}", #"{"a":1,}"#, "[1,2", "{\"a\":1}}",
            ]
        ) { $0.token = .text($1) }
        try await refuse(.tokenRequest, .wrongFieldType, each: [#"a\u0000b"#, #"a\u000ab"#]) {
            $0.token = .text(#"{"access_token":"\#($1)","token_type":"Bearer"}"#)
        }
    }

    @Test("TOK-15: No store is not required")
    func TOK_15_noStoreIsNotDemanded() async throws {
        try await accept {
            $0.token.headers = [("Content-Type", "application/json"), ("Cache-Control", "public")]
        } check: {
            #expect($1.tokens != nil)
        }
    }

    @Test("TOK-16: Members that nobody knows")
    func TOK_16_membersThatNobodyKnows() async throws {
        try await accept {
            $0.token["iat"] = 1
            $0.token["user"] = ["id": 1, "password": "hunter2-hunter2"]
            $0.token["team"] = []
        } check: {
            #expect($1.tokens?.scopes == ["openid", "profile", "email"])
        }
    }

    @Test("TOK-17: Tokens of another sign-in")
    func TOK_17_tokensOfAnotherSignIn() async throws {
        let ofAnother = base64URL(Data(SHA256.hash(data: Data("the-access-token-of-another".utf8))).prefix(16))
        try await refuse(.idToken, .accessTokenHashMismatch) { $0.idToken.claims["at_hash"] = .string(ofAnother) }
        try await refuse(.idToken, .nonceMismatch) { $0.idToken.claims["nonce"] = "that-of-another-sign-in" }
        try await refuse(.profile, .subjectMismatch) { $0.userinfo["sub"] = "user-2" }
    }

    @Test("TOK-18: Code is never sent twice")
    func TOK_18_codeIsNeverSentTwice() async throws {
        try await refuse(.tokenRequest, .serverUnavailable) { $0.token = .error("server_error", status: 500) }
        try await refuse(
            .tokenRequest, .transport, each: [.interrupted, .timeout, .connection] as [ServerResponse.TransportFailure]
        ) { $0.token = .fails($1) }
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        let request = try await client.beginSignIn()
        let callback = scenario.callback(request)
        scenario.change { $0.token = .fails(.interrupted) }
        for kind in [OAuthError.Kind.transport, .alreadyUsed] {
            await expectRefusal(kind) {
                try await client.completeSignIn(callback, for: request.pending)
            }
        }
        #expect(scenario.count("/token") == 1)
    }

    @Test("TOK-19: Access token that is no header")
    func TOK_19_accessTokenThatIsNoHeader() async throws {
        try await refuse(
            .tokenRequest, .wrongFieldType,
            each: ["abc def", "a\r\nX-Injected: 1", "a\nb", "ü", "a\tb", "a\u{0}", "a\u{7F}", "日本"]
        ) { $0.token["access_token"] = .string($1) }
    }

    @Test("TOK-20: Client credentials")
    func TOK_20_clientCredentials() async throws {
        try await accept(in: .clientCredentials) { scenario, outcome in
            #expect(outcome.tokens?.refreshToken == nil)
            #expect(outcome.tokens?.idToken == nil)
            let isEmpty = try await scenario.isStoreEmpty()
            #expect(isEmpty)
        }
        try await refuse(.clientCredentials, .unsupportedTokenType, in: .clientCredentials) {
            $0.token["token_type"] = "N_A"
        }
    }

    @Test("TOK-20: Token exchange")
    func TOK_20_tokenExchange() async throws {
        let flow = Flow(provider: Flow.plain) { _, outcome in
            outcome.tokens = try await outcome.client.exchange(
                TokenExchange(TokenExchange.TypedToken(Secret("the-subject-token")))
            ).tokens
        }
        let issued = "urn:ietf:params:oauth:token-type:access_token"
        let scenario = Scenario()
        _ = try await flow.run(scenario) { $0.token["issued_token_type"] = .string(issued) }
        for value in [nil, "", 5] as [JSONValue?] {
            let hostile = Scenario()
            await expectRefusal(.missingField) {
                try await flow.run(hostile) { $0.token["issued_token_type"] = value }
            }
        }
    }

    @Test("TOK-21: Authorization details")
    func TOK_21_authorizationDetails() async throws {
        let wanted: JSONValue = ["type": "payment", "amount": 5]
        let flow = Flow.signIn.with { $0.access.authorizationDetails = [wanted] }
        try await accept(in: flow) {
            $0.token["authorization_details"] = [["type": "payment", "amount": 500]]
        } check: {
            #expect($1.tokens?.authorizationDetails == #"[{"type":"payment","amount":500}]"#)
        }
    }
}
