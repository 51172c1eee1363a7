import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// Judges token responses of a provider.
private struct Endpoint {
    let attempt: Attempt
    let request: PreparedRequest

    init(_ yaml: String = Fixture.plain) throws {
        attempt = try Attempt(yaml, secret: yaml.contains("client_secret") ? "s3cret" : nil)
        request = try attempt.exchange()
    }

    func validate(_ response: IncomingResponse) throws -> TokenResponse {
        try TokenResponse(validating: response, to: request, from: attempt.provider)
    }

    func validate(_ json: String) throws -> TokenResponse { try validate(.json(json)) }

    /// An otherwise good response with a member more, or one of another value.
    func validate(with members: String) throws -> TokenResponse {
        try validate(#"{"access_token":"at","token_type":"Bearer",\#(members)}"#)
    }
}

@Suite("Token response")
struct TokenResponseTests {
    @Test("Reads all fields")
    func readsAllFields() throws {
        let response = try Endpoint().validate(
            with: #""expires_in":3600,"refresh_token":"rt","scope":"read write","iat":1,"team":{"id":5}"#)
        #expect(response.accessToken.reveal() == "at")
        #expect(response.refreshToken?.reveal() == "rt")
        #expect(response.tokenType == "Bearer")
        #expect(response.expiry == .after(3600))
        #expect(response.scopes == ["read", "write"])
        #expect(response.idToken == nil)
    }

    // TOK-15, TOK-16: all but the access token may be missing.
    @Test("Needs the access token alone")
    func needsTheAccessTokenAlone() throws {
        let response = try Endpoint().validate(#"{"access_token":"at","token_type":"Bearer"}"#)
        #expect(response.refreshToken == nil)
        #expect(response.expiry == nil)
        #expect(response.scopes == nil)
    }

    @Test(
        "Members that look like an error are named where the token is missing",
        arguments: [
            (
                #"{"error_code":40013,"error_msg":"bad app id"}"#,
                #"error_code and error_msg; the server said "bad app id""#
            ),
            (#"{"code":401,"data":null,"message":"no"}"#, #"code and message; the server said "no""#),
        ])
    func membersThatLookLikeAnError(body: String, named: String) throws {
        for keys in ["", "token: { response: { root: /data } }\n"] {
            let error = try #require(
                #expect(throws: OAuthError.self) { try Endpoint(Fixture.plain + keys).validate(body) })
            #expect(error.message == "the response has no access_token, but \(named)")
            #expect(error.kind == .missingField && error.status == 200)
            #expect(error.hint?.contains("token.response.errors") == true)
            #expect(error.hint?.contains("token.response.success") == true)
        }
    }

    // TOK-06, INT-23: servers that do not leave out what is empty. An access token that is empty stays an error.
    @Test(
        "A body that is not JSON is named, and nothing of it is shown that may be a token",
        arguments: [
            ("text/html", Array("<title>Login</title>".utf8), "\"Login\""),
            (
                "application/json", Array("<oauth><access_token>SlAV32hkKG</access_token></oauth>".utf8),
                "it begins with <"
            ),
            ("application/x-www-form-urlencoded", Array("error=bad_client&x=SlAV32hkKG".utf8), "said \"bad_client\""),
            ("application/json", [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00], "UTF-16"),
        ] as [(String, [UInt8], String)])
    func bodiesThatAreNotJSON(_ type: String, _ body: [UInt8], _ named: String) throws {
        let head = HTTPResponse(status: .ok, headerFields: [.contentType: type])
        let error = #expect(throws: OAuthError.self) {
            try Endpoint().validate(IncomingResponse(head: head, body: body))
        }
        #expect(error?.message.contains(named) == true, "\(String(describing: error))")
        #expect(error?.message.contains("SlAV32hkKG") == false)
    }

    @Test("Empty member is one that is missing")
    func emptyMemberIsOneThatIsMissing() throws {
        let response = try Endpoint().validate(with: #""refresh_token":"","id_token":"","scope":" ","expires_in":"""#)
        #expect(
            response.refreshToken == nil && response.idToken == nil && response.scopes == nil && response.expiry == nil)
        let endpoint = try Endpoint()
        expectError(.tokenRequest, .missingField) { try endpoint.validate(#"{"access_token":"at","token_type":""}"#) }
        let lenient = try Endpoint(Fixture.plain + "token: { response: { default_token_type: Bearer } }\n")
        #expect(try lenient.validate(#"{"access_token":"at","token_type":""}"#).tokenType == "Bearer")
        let elsewhere = try Endpoint(
            Fixture.plain + "token: { response: { fields: { refresh_token: [/rt, /refresh_token] } } }\n")
        #expect(try elsewhere.validate(with: #""rt":"","refresh_token":"r""#).refreshToken?.reveal() == "r")
    }

    // COST-07.
    @Test("Token has a limit", arguments: ["access_token", "refresh_token"])
    func tokenHasALimit(_ name: String) throws {
        let endpoint = try Endpoint()
        func body(_ length: Int) -> String {
            var object: JSONObject = JSONObject()
            object["access_token"] = "at"
            object["token_type"] = "Bearer"
            object[name] = .string(String(repeating: "a", count: length))
            return JSONValue.object(object).jsonText()
        }
        _ = try endpoint.validate(body(65_536))
        expectError(.tokenRequest, .wrongFieldType) { try endpoint.validate(body(65_537)) }
    }

    // COST-07.
    @Test("Scopes have a limit")
    func scopesHaveALimit() throws {
        let endpoint = try Endpoint()
        let scopes = Array(repeating: String(repeating: "s", count: 99), count: 656)
        let text = #""scope":"\#(scopes.joined(separator: " "))""#
        expectError(.tokenRequest, .wrongFieldType) { try endpoint.validate(with: text) }
        let list = JSONValue.array((scopes + scopes).map { .string($0) }).jsonText()
        expectError(.tokenRequest, .wrongFieldType) { try endpoint.validate(with: "\"scope\":\(list)") }
        #expect(
            try endpoint.validate(with: #""scope":"\#(scopes.dropLast(2).joined(separator: " "))""#).scopes?.count
                == 654)
    }

    // TOK-03: an absent type is accepted where the descriptor says what it is.
    @Test("Absent type needs the descriptor's word")
    func absentTypeNeedsTheDescriptorsWord() throws {
        let strict = try Endpoint()
        expectError(.tokenRequest, .missingField) { try strict.validate(#"{"access_token":"at"}"#) }
        let lenient = try Endpoint(Fixture.plain + "token: { response: { default_token_type: Bearer } }\n")
        #expect(try lenient.validate(#"{"access_token":"at"}"#).tokenType == "Bearer")
    }

    // TOK-04.
    @Test(
        "Lifetime is read from number or text",
        arguments: zip(
            ["3600", "\"3600\"", "3600.5", "0", "3.6e3", "null", "3155760000"],
            [3600, 3600, 3600.5, 0, 3600, nil, 3_155_760_000] as [Double?]
        ))
    func lifetimeIsReadFromNumberOrText(_ value: String, _ expected: Double?) throws {
        #expect(try Endpoint().validate(with: "\"expires_in\":\(value)").expiry == expected.map { .after($0) })
    }

    // TOK-04, INT-24: a hundred years is the most that is believed, and less than nothing says nothing.
    @Test(
        "Lifetime beyond belief is cut or unknown",
        arguments: zip(
            ["-1", "\"-1\"", "-1e999", "\"\"", "1e300", "1e999", "9007199254740993000", "\"99999999999999\""],
            [nil, nil, nil, nil, 3_155_760_000, 3_155_760_000, 3_155_760_000, 3_155_760_000] as [Double?]
        ))
    func lifetimeBeyondBeliefIsCutOrUnknown(_ value: String, _ expected: Double?) throws {
        #expect(try Endpoint().validate(with: "\"expires_in\":\(value)").expiry == expected.map { .after($0) })
        let stated = try Endpoint(Fixture.plain + "token: { response: { default_expires_in: 60 } }\n")
        #expect(try stated.validate(with: "\"expires_in\":\(value)").expiry == .after(expected ?? 60))
    }

    // TOK-04.
    @Test(
        "Unbelievable lifetime is rejected",
        arguments: ["\"soon\"", "\"NaN\"", "\"inf\"", "\"0x10\"", "true", "[]", "{}"])
    func unbelievableLifetimeIsRefused(_ value: String) throws {
        let endpoint = try Endpoint()
        expectError(.tokenRequest, .wrongFieldType) { try endpoint.validate(with: "\"expires_in\":\(value)") }
    }

    @Test("A date in place of a lifetime leads to the key that reads it")
    func dateInPlaceOfALifetime() throws {
        let endpoint = try Endpoint()
        let error = expectError(.tokenRequest, .wrongFieldType) {
            try endpoint.validate(with: #""expires_in":"2030-01-01T00:00:00Z""#)
        }
        #expect(error?.hint == "set token.response.expires: iso8601")
    }

    @Test(
        "A body in another format leads to the key that reads it",
        arguments: [
            ("jsonp", #"{"access_token":"a"}"#, "json"), ("json", #"cb({"access_token":"a"});"#, "jsonp"),
            ("auto", #")]}'{"access_token":"a"}"#, "guarded"), ("guarded", #"{"access_token":"#, nil),
            ("json", #"{"access_token":"#, nil), ("jsonp", "<p>{}</p>", nil),
        ] as [(String, String, String?)])
    func otherFormat(_ format: String, _ body: String, _ other: String?) throws {
        let attempt = try Attempt(Fixture.plain + "token: { response: { format: \(format) } }\n")
        let request = try attempt.exchange()
        let error = #expect(throws: OAuthError.self) {
            try TokenResponse(validating: .json(body), to: request, from: attempt.provider)
        }
        let hint = other.map { "the body has another format: set token.response.format: \($0)" }
        #expect(error?.kind == .malformedBody && (error?.hint == hint) == (hint != nil), "\(error?.hint ?? "")")
    }

    @Test("An element of a list of scopes is split like a string")
    func elementsOfScopes() throws {
        #expect(try Endpoint().validate(with: #""scope":["openid profile","a"]"#).scopes == ["openid", "profile", "a"])
    }

    // TOK-05.
    @Test(
        "Granted scopes are exactly those named",
        arguments: zip(
            ["\"\"", "\"read\"", "\"read  write \"", "[\"read\",\"write\"]", "[]", "\"admin read\"", "null"],
            [nil, ["read"], ["read", "write"], ["read", "write"], [], ["admin", "read"], nil] as [[String]?]
        ))
    func grantedScopesAreExactlyThoseNamed(_ value: String, _ expected: [String]?) throws {
        let response = try Endpoint().validate(with: "\"scope\":\(value)")
        #expect(response.scopes == expected)
        let tokens = TokenSet(response, requested: ["read", "write"], now: Attempt.now)
        #expect(tokens.scopes == expected ?? ["read", "write"])
    }

    @Test("Fields are found where the descriptor says")
    func fieldsAreFoundWhereTheDescriptorSays() throws {
        let endpoint = try Endpoint(
            Fixture.plain
                + "token: { response: { root: /data, fields: { access_token: /tokens/0, expires_in: /ttl } } }\n")
        let response = try endpoint.validate(#"{"data":{"tokens":["at"],"ttl":"60","token_type":"bearer"}}"#)
        #expect(response.accessToken.reveal() == "at")
        #expect(response.expiry == .after(60))
        let error = expectError(.tokenRequest, .missingField) { try endpoint.validate(#"{"access_token":"at"}"#) }
        #expect(error?.descriptorKey == "token.response.root")
    }

    @Test("Default lifetime is used when none is named")
    func defaultLifetimeIsUsedWhenNoneIsNamed() throws {
        let endpoint = try Endpoint(Fixture.plain + "token: { response: { default_expires_in: 7200 } }\n")
        #expect(try endpoint.validate(#"{"access_token":"at","token_type":"bearer"}"#).expiry == .after(7200))
        #expect(try endpoint.validate(with: "\"expires_in\":5").expiry == .after(5))
    }

    // TOK-14.
    @Test(
        "Odd JSON is rejected without a crash",
        arguments: [
            #"{"access_token":"a","access_token":"b","token_type":"Bearer"}"#,
            #"{"access_token":"\ud800","token_type":"Bearer"}"#, "[]", "null", "\"at\"", "7", "", "{", "\u{FEFF}{}",
            String(repeating: "[", count: 10_000),
        ])
    func oddJSONIsRefusedWithoutACrash(_ body: String) throws {
        let endpoint = try Endpoint()
        let error = #expect(throws: OAuthError.self) { try endpoint.validate(body) }
        #expect(error?.kind == .malformedBody || error?.kind == .missingField)
    }

    @Test("Invalid UTF-8 is rejected")
    func invalidUTF8IsRefused() throws {
        let endpoint = try Endpoint()
        var response = IncomingResponse.json("")
        response.body = Array(#"{"access_token":""#.utf8) + [0xFF] + Array(#"","token_type":"Bearer"}"#.utf8)
        expectError(.tokenRequest, .malformedBody) { try endpoint.validate(response) }
    }

    // LOG-02: an error quotes nothing that could drive a terminal.
    @Test("Repeated member name is quoted harmlessly")
    func repeatedMemberNameIsQuotedHarmlessly() throws {
        let endpoint = try Endpoint()
        let name = #"\u001b[31m\n"# + String(repeating: "x", count: 100_000)
        let error = try #require(
            expectError(.tokenRequest, .malformedBody) { try endpoint.validate("{\"\(name)\":1,\"\(name)\":2}") })
        #expect("\(error)".utf8.count < 2000)
        #expect("\(error)".unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }

    // TOK-13.
    @Test(
        "A JSON object is read whatever its type says, and no other value",
        arguments: ["text/html", "text/plain", "application/x-www-form-urlencoded", "application/jwt", ""])
    func otherTypesAreRefusedUnlessTheDescriptorSays(_ type: String) throws {
        let body = #"{"access_token":"at","token_type":"Bearer"}"#
        let endpoint = try Endpoint()
        _ = try endpoint.validate(.canned(body, type: type))
        let error = expectError(.tokenRequest, .unexpectedContentType) {
            try endpoint.validate(.canned("[\(body)]", type: type))
        }
        #expect(error?.descriptorKey == "token.response.format")
        let shown = type.isEmpty ? "without a content type" : type
        #expect(error?.message.contains("the response is \(shown) where") == true)
    }

    // TOK-12.
    @Test("Form response is read where the descriptor says")
    func formResponseIsReadWhereTheDescriptorSays() throws {
        let reply = IncomingResponse.canned(
            "access_token=a%2Bt&token_type=bearer&scope=read%20write&expires_in=60",
            type: "application/x-www-form-urlencoded"
        )
        let endpoint = try Endpoint(Fixture.plain + "token: { response: { format: form } }\n")
        let response = try endpoint.validate(reply)
        #expect(response.accessToken.reveal() == "a+t")
        #expect(response.expiry == .after(60))
        #expect(response.scopes == ["read", "write"])
        let strict = try Endpoint()
        expectError(.tokenRequest, .unexpectedContentType) { try strict.validate(reply) }
    }

    // HTTP-05: the largest body that a transport lets through costs no more than a moment.
    @Test("A hundred thousand form fields are read in a moment", .timeLimit(.minutes(5)))
    func aHundredThousandFormFieldsAreReadInAMoment() throws {
        let endpoint = try Endpoint(Fixture.plain + "token: { response: { format: form } }\n")
        let fields = (0..<100_000).map { "f\($0)=1" }.joined(separator: "&")
        let response = IncomingResponse.canned(
            "access_token=a&token_type=bearer&\(fields)", type: "application/x-www-form-urlencoded")
        #expect(try endpoint.validate(response).accessToken.reveal() == "a")
        #expect(RedactedResponse(response, to: endpoint.request).status == 200)
    }

    @Test("A megabyte of text is read in a moment", .timeLimit(.minutes(5)))
    func aMegabyteOfTextIsReadInAMoment() throws {
        let text = String(repeating: "abcdefghi ", count: 100_000)
        #expect(try Endpoint().validate(with: #""x":"\#(text)""#).accessToken.reveal() == "at")
    }

    @Test("A hundred thousand members are shown in a moment", .timeLimit(.minutes(5)))
    func aHundredThousandMembersAreShownInAMoment() throws {
        let endpoint = try Endpoint()
        let members = (0..<100_000).map { "\"m\($0)\":1" }.joined(separator: ",")
        let shown = RedactedResponse(.json("{\(members)}"), to: endpoint.request)
        #expect(shown.body.utf8.count < 5000)
    }
}

@Suite("Token error")
struct TokenErrorTests {
    @Test("Error members that say no error are ignored")
    func errorMembersThatSayNoErrorAreIgnored() throws {
        let endpoint = try Endpoint()
        for member in [#""error":null"#, #""error":false"#, #""error":"""#, #""error":0"#] {
            _ = try endpoint.validate(with: member)
        }
    }

    @Test("Server's words are carried")
    func serversWordsAreCarried() throws {
        let endpoint = try Endpoint()
        let error = expectError(.tokenRequest, .serverError) {
            try endpoint.validate(
                .json(#"{"error":"invalid_grant","error_description":"expired","error_uri":"https://x"}"#, status: 400))
        }
        #expect(error?.server?.code == "invalid_grant")
        #expect(error?.server?.message == "expired")
        #expect(error?.status == 400)
        #expect(error?.disposition == .signInAgain)
        #expect(error?.descriptorKey == "endpoints.token")
    }

    // TOK-10, INT-08.
    @Test(
        "Error body of any shape is an error with its status",
        arguments: [
            "", "<html>no</html>", "null", "[]", "\"x\"", "{\"error\":{\"message\":\"nested\"}}", "{\"error\":[1]}",
            "{}",
            "{", String(repeating: "x", count: 1 << 20),
        ])
    func errorBodyOfAnyShapeIsAnErrorWithItsStatus(_ body: String) throws {
        let endpoint = try Endpoint()
        let error = try #require(
            expectError(.tokenRequest, .unexpectedStatus) {
                try endpoint.validate(.canned(body, status: 403, type: "text/html"))
            })
        #expect(error.status == 403)
        #expect(error.server == nil)
        #expect("\(error)".utf8.count < 500)
    }

    @Test("Error words are found where the descriptor says")
    func errorWordsAreFoundWhereTheDescriptorSays() throws {
        let endpoint = try Endpoint(
            Fixture.plain
                + "token: { response: { errors: { error: /error/type, error_description: /error/message } } }\n")
        let error = expectError(.tokenRequest, .serverError) {
            try endpoint.validate(.json(#"{"error":{"type":"OAuthException","message":"no","code":190}}"#, status: 400))
        }
        #expect(error?.server?.code == "OAuthException")
        #expect(error?.server?.message == "no")
    }

    @Test("Server's failure is for later", arguments: [408, 429, 500, 502, 503, 504])
    func serversFailureIsForLater(_ status: Int) throws {
        let endpoint = try Endpoint()
        let error = expectError(.tokenRequest, status == 429 ? .tooManyRequests : .serverUnavailable) {
            try endpoint.validate(.canned("<html>", status: status, type: "text/html"))
        }
        #expect(error?.disposition == .tryLater)
    }

    // HTTP-03, HTTP-04: a redirect is said, not followed.
    @Test("Redirect is said")
    func redirectIsSaid() throws {
        let endpoint = try Endpoint()
        let error = expectError(.tokenRequest, .unexpectedStatus) {
            try endpoint.validate(.empty(status: 307, header: (.location, "https://evil.example")))
        }
        #expect(error?.message.contains("https://evil.example") == true)
        #expect(error?.hint?.contains("is not followed") == true)
    }

    // TOK-10, LOG-01: secrets that come back are taken out.
    @Test(
        "Echoed secrets are removed",
        arguments: [
            #"client: { authentication: [client_secret_post] }"#, #"client: { authentication: [client_secret_basic] }"#,
        ])
    func echoedSecretsAreTakenOut(_ section: String) throws {
        let endpoint = try Endpoint(Fixture.plain + section + "\n")
        let verifier = try #require(endpoint.request.form["code_verifier"])
        let pair = Data("client:s3cret".utf8).base64EncodedString()
        let isBasic = section.contains("basic")
        let echo = "the-code \(verifier) s3cret \(isBasic ? pair : "")"
        let response = IncomingResponse.json(#"{"error":"x","error_description":"\#(echo)"}"#, status: 400)
        let error = try #require(expectError(.tokenRequest, .serverError) { try endpoint.validate(response) })
        let shown = RedactedResponse(response, to: endpoint.request)
        for text in ["\(error)", "\(shown)"] {
            for secret in ["the-code", verifier, "s3cret", pair] {
                #expect(!text.contains(secret), "\(secret) in \(text)")
            }
        }
    }
}

@Suite("Token set")
struct TokenSetTests {
    private let old = TokenSet(
        accessToken: Secret("a1"),
        tokenType: "Bearer",
        refreshToken: Secret("r1"),
        idToken: Secret("i1"),
        scopes: ["read"],
        issuedAt: Attempt.now - 3600,
        expiresAt: Attempt.now
    )

    private func reply(_ json: String) throws -> TokenResponse { try Endpoint().validate(json) }

    // RT-02, RT-08, RT-10: what the response leaves out stays.
    @Test("Refresh keeps what the response leaves out")
    func refreshKeepsWhatTheResponseLeavesOut() throws {
        let merged = old.merging(
            try reply(#"{"access_token":"a2","token_type":"bearer","expires_in":60}"#), now: Attempt.now)
        #expect(merged.accessToken.reveal() == "a2")
        #expect(merged.refreshToken?.reveal() == "r1")
        #expect(merged.idToken?.reveal() == "i1")
        #expect(merged.scopes == ["read"])
        #expect(merged.issuedAt == Attempt.now)
        #expect(merged.expiresAt == Attempt.now + 60)
    }

    // RT-02.
    @Test("Refresh replaces what the response names")
    func refreshReplacesWhatTheResponseNames() throws {
        let merged = old.merging(
            try reply(
                #"{"access_token":"a2","token_type":"bearer","refresh_token":"r2","id_token":"i2","scope":[]}"#),
            now: Attempt.now
        )
        #expect(merged.refreshToken?.reveal() == "r2")
        #expect(merged.idToken?.reveal() == "i2")
        #expect(merged.scopes == [])
        #expect(merged.expiresAt == nil)
    }

    /// The refresh token's end after a response to a code with these members besides the tokens.
    private func end(_ members: String, _ yaml: String = "", at now: Date = Attempt.now) throws -> Date? {
        let response = try Endpoint(Fixture.plain + yaml + "\n")
            .validate(#"{"access_token":"a","token_type":"bearer","refresh_token":"r",\#(members)}"#)
        return TokenSet(response, requested: [], now: now).refreshTokenExpiresAt
    }

    @Test(
        "The expiry of the refresh token is where most servers put it, where the draft does, or where the descriptor says"
    )
    func expiryOfTheRefreshToken() throws {
        #expect(try end(#""refresh_token_expires_in":5184000"#) == Attempt.now + 5_184_000)
        #expect(try end(#""refresh_token_expires_in":"60""#) == Attempt.now + 60)
        #expect(try end(#""refresh_token_timeout":604800"#) == Attempt.now + 604_800)
        let elsewhere = "token: { response: { fields: { refresh_token_expires_in: /refresh_expires_in } } }"
        #expect(try end(#""refresh_expires_in":1800"#, elsewhere) == Attempt.now + 1800)
        #expect(try end(#""refresh_expires_in":1800"#) == nil)
        let date = """
            token:
              response:
                expires: iso8601
                fields: { expires_in: /expires_at, refresh_token_expires_in: /refresh_expires_at }
            """
        #expect(
            try end(#""refresh_expires_at":"2126-01-01T00:00:00Z""#, date) == Date(timeIntervalSince1970: 4_922_899_200)
        )
    }

    // Keycloak sends zero for an offline token that does not expire.
    @Test(
        "A lifetime of the refresh token that is none makes no session unusable",
        arguments: ["0", "-1", "\"\"", "null", "false", "[]", "\"soon\"", "\"2126-01-01T00:00:00Z\""])
    func refreshTokenWithoutAnExpiry(_ value: String) throws {
        #expect(try end(#""refresh_token_expires_in":\#(value)"#) == nil)
    }

    @Test("An end of the refresh token in the past is a lifetime that was taken for a time, and says nothing")
    func lifetimeTakenForATime() throws {
        let epoch = "token: { response: { expires: epoch } }"
        #expect(try end(#""refresh_token_expires_in":5184000"#, epoch) == nil)
        #expect(try end(#""refresh_token_expires_in":4922899200"#, epoch) == Date(timeIntervalSince1970: 4_922_899_200))
    }

    @Test("A response without a refresh token has no expiry of one")
    func expiryOfNoRefreshToken() throws {
        let response = try reply(#"{"access_token":"a","token_type":"bearer","refresh_token_expires_in":60}"#)
        #expect(TokenSet(response, requested: [], now: Attempt.now).refreshTokenExpiresAt == nil)
    }

    @Test(
        "The expiry of a refresh token belongs to it: it stays with the token, and a new token has its own or none",
        arguments: [
            ("", 100), (#","refresh_token":"r1""#, 100), (#","refresh_token":"r2""#, nil),
            (#","refresh_token":"r2","refresh_token_expires_in":60"#, 60),
            // The draft: without a refresh token, the value is that of the token that was sent.
            (#","refresh_token_expires_in":60"#, 60), (#","refresh_token_expires_in":0"#, 100),
        ])
    func expiryAfterARefresh(_ members: String, _ seconds: Double?) throws {
        var tokens = old
        tokens.refreshTokenExpiresAt = Attempt.now + 100
        let response = try reply(#"{"access_token":"a2","token_type":"bearer"\#(members)}"#)
        let merged = tokens.merging(response, now: Attempt.now)
        #expect(merged.refreshTokenExpiresAt == seconds.map { Attempt.now + $0 })
        #expect(tokens.merging(response, rotation: .none, now: Attempt.now).refreshToken?.reveal() == "r1")
    }

    @Test(
        "A documented lifetime is that of a new refresh token whose response states none",
        arguments: [
            ("", 100), (#","refresh_token":"r1""#, 100), (#","refresh_token":"r2""#, 2_419_200),
            (#","refresh_token":"r2","refresh_token_expires_in":60"#, 60), (#","refresh_token_expires_in":60"#, 60),
        ])
    func documentedLifetime(_ members: String, _ seconds: Double) throws {
        let rules = "token: { response: { default_refresh_token_expires_in: 2419200 } }"
        #expect(try end(#""scope":"a""#, rules) == Attempt.now + 2_419_200)
        let endpoint = try Endpoint(Fixture.plain + rules + "\n")
        let response = try endpoint.validate(#"{"access_token":"a2","token_type":"bearer"\#(members)}"#)
        var tokens = old
        tokens.refreshTokenExpiresAt = Attempt.now + 100
        #expect(tokens.merging(response, now: Attempt.now).refreshTokenExpiresAt == Attempt.now + seconds)
        tokens.refreshToken = nil
        let isNew = members.contains("refresh_token\":")
        #expect((tokens.merging(response, now: Attempt.now).refreshTokenExpiresAt != nil) == isNew)
    }

    @Test("A host that replaces or removes the refresh token keeps no expiry of the earlier one")
    func replacedRefreshToken() {
        var tokens = old
        tokens.refreshTokenExpiresAt = Attempt.now + 100
        tokens.refreshToken = Secret("r1")
        #expect(tokens.refreshTokenExpiresAt == Attempt.now + 100)
        tokens.refreshToken = nil
        #expect(tokens.refreshTokenExpiresAt == nil)
    }

    @Test("Tokens that an earlier version stored are read, and have no known expiry of the refresh token")
    func tokensOfAnEarlierVersion() throws {
        var tokens = old
        tokens.refreshTokenExpiresAt = Attempt.now + 100
        let stored = try JSONEncoder().encode(tokens)
        #expect(try JSONDecoder().decode(TokenSet.self, from: stored) == tokens)
        var members = try #require(try JSONSerialization.jsonObject(with: stored) as? [String: Any])
        #expect(members.removeValue(forKey: "refreshTokenExpiresAt") != nil)
        let earlier = try JSONSerialization.data(withJSONObject: members)
        #expect(try JSONDecoder().decode(TokenSet.self, from: earlier) == old)
    }

    // RT-07.
    @Test("Ends within the margin")
    func endsWithinTheMargin() {
        #expect(!old.isExpiring(within: 60, at: Attempt.now - 61))
        #expect(old.isExpiring(within: 60, at: Attempt.now - 60))
        #expect(!old.isExpiring(within: 0, at: Attempt.now - 1))
        #expect(old.isExpiring(within: 0, at: Attempt.now))
    }

    // RT-07: a token that lives shorter than the margin is not refreshed at once, again and again.
    @Test("Short lived token is refreshed in the second half of its life")
    func shortLivedTokenIsRefreshedInTheSecondHalfOfItsLife() {
        var tokens = old
        tokens.issuedAt = Attempt.now - 30
        #expect(!tokens.isExpiring(within: 60, at: Attempt.now - 16))
        #expect(tokens.isExpiring(within: 60, at: Attempt.now - 15))
    }

    @Test("a token that was issued in the future may have ended: the clock was set back")
    func clockThatWasSetBack() {
        var tokens = old
        tokens.issuedAt = Attempt.now - 3600
        #expect(!tokens.isExpiring(within: 0, at: tokens.issuedAt - 14 * 3600), "a wrong time zone")
        #expect(tokens.isExpiring(within: 0, at: tokens.issuedAt - 10 * 86_400))
    }

    // TOK-04: an unknown end is no end.
    @Test("Token without a stated end is not expiring")
    func tokenWithoutAStatedEndIsNotExpiring() {
        var tokens = old
        tokens.expiresAt = nil
        #expect(!tokens.isExpiring(within: 60, at: .distantFuture))
    }
}
