import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

private let tokens = TokenSet(
    accessToken: Secret("access-token-1"), tokenType: "Bearer", scopes: ["openid"], issuedAt: Attempt.now)

@Suite("Profile")
struct ProfileTests {
    private func profile(_ body: String, _ yaml: String = Fixture.openID) throws -> Profile {
        try validate(.json(body), yaml)
    }

    private func validate(_ response: IncomingResponse, _ yaml: String = Fixture.openID) throws -> Profile {
        let provider = try Fixture.provider(yaml)
        return try Profile(
            validating: response, to: try Profile.request(tokens, at: provider), from: provider, subject: nil)
    }

    @Test("Reads standard claims")
    func readsStandardClaims() throws {
        let profile = try profile(
            #"{"sub":"u","name":"Ada","given_name":"A","family_name":"B","preferred_username":"ada","email":"a@x","picture":"https://p","locale":"en"}"#
        )
        #expect(profile.subject == "u")
        #expect(profile.name == "Ada")
        #expect(profile.givenName == "A")
        #expect(profile.familyName == "B")
        #expect(profile.username == "ada")
        #expect(profile.email == "a@x")
        #expect(profile.picture == "https://p")
        #expect(profile.locale == "en")
        #expect(profile.isEmailVerified == nil)
    }

    // Each may be missing and of any type.
    @Test("Odd types and missing claims do not matter")
    func oddTypesAndMissingClaimsDoNotMatter() throws {
        let profile = try profile(
            #"{"sub":"u","name":null,"email_verified":true,"address":{"street":"x"},"updated_at":"2026-01-01T00:00:00Z","picture":7,"locale":[]}"#
        )
        #expect(profile.name == nil)
        #expect(profile.picture == "7")
        #expect(profile.locale == nil)
        #expect(profile["locale"] == nil)
        #expect(profile.raw["address"]?["street"]?.string == "x")
    }

    // UI-07, IDT-19.
    @Test(
        "Email is verified only where it is said",
        arguments: zip(
            ["true", "false", "\"true\"", "\"false\"", "1", "\"yes\"", "null"],
            [true, false, true, false, nil, nil, nil] as [Bool?]
        ))
    func emailIsVerifiedOnlyWhereItIsSaid(_ value: String, _ expected: Bool?) throws {
        #expect(try profile(#"{"sub":"u","email_verified":\#(value)}"#).isEmailVerified == expected)
    }

    @Test(
        "A claim of a time is true if there is one, and what servers write instead of none is false",
        arguments: [
            (#""2026-01-01 10:00:00""#, true), ("1767261600", true), ("true", true), (#"{"at":1}"#, true),
            ("null", false), ("false", false), (#""""#, false), ("0", false), (#""0""#, false), ("[]", false),
            (#""False""#, false), ("{}", false), (#""0001-01-01T00:00:00Z""#, false),
            (#""0000-00-00 00:00:00""#, false),
        ])
    func emailIsVerifiedAtATime(_ value: String, _ expected: Bool) throws {
        let keys = Fixture.openID + "profile: { root: /user, claims: { email_verified: { present: [/none, /at] } } }\n"
        #expect(try profile(#"{"user":{"sub":"u","at":\#(value)}}"#, keys).isEmailVerified == expected)
        #expect(try profile(#"{"user":{"sub":"u"}}"#, keys).isEmailVerified == false)
        // What is not said of anybody is unknown.
        #expect(try profile(#"{"sub":"u"}"#, keys).isEmailVerified == nil)
    }

    @Test("A default claim of the wrong type is missing, and a mapped one is taken at its word")
    func defaultClaimOfTheWrongType() throws {
        let body =
            #"{"sub":7,"name":{"first":"Ada"},"email":["a@x"],"email_verified":"yes","picture":false,"locale":"en"}"#
        let profile = try profile(body)
        #expect(profile.claims.map(\.name) == ["subject", "locale"])
        let mapped = try self.profile(body, Fixture.openID + "profile: { claims: { name: /name, locale: [] } }\n")
        #expect(mapped.claims.map(\.name) == ["subject", "name"])
    }

    @Test("Root and claims of the descriptor's own")
    func rootAndClaimsOfTheDescriptorsOwn() throws {
        let profile = try profile(
            #"{"data":{"user":{"open_id":"o","emails":[{"value":"a@x"}],"plan":"pro"}},"sub":"not this"}"#,
            Fixture.plain
                + "profile: { root: /data/user, claims: { subject: [/union_id, /open_id], email: /emails/0/value, plan: /plan } }\n"
        )
        #expect(profile.subject == "o")
        #expect(profile.email == "a@x")
        #expect(profile["plan"]?.string == "pro")
        #expect(try self.profile("{}", Fixture.plain + "profile: { root: /data }\n").subject == nil)
    }

    // OpenID Connect Core, section 5.3.2: a claim that is not returned should be omitted, not null or "".
    @Test("An empty string is no value of a claim", arguments: [#""""#, "null"])
    func emptyStringIsNoValue(_ none: String) throws {
        let keys =
            Fixture.plain + """
                profile:
                  claims:
                    subject: [/uid, /id]
                    name: [/full_name, /login]
                    email: { root: /mails, where: { primary: true }, first: [/address, /value] }
                    groups: { root: /teams, each: [/slug, /title] }
                    nickname: /nick
                    list: /list
                    has_phone: { present: [/mobile, /phone] }
                  derive: { roles: "{join(',', claim.list)}" }
                  requests:
                    - { url: "https://api.acme.example/more", claims: { nickname: [/a, /b], plan: /plan }, when_missing: true }

                """
        let body = #"""
            {"uid":"","id":7,"full_name":"","login":"ada","nick":"","mobile":"","phone":"1","list":["","a",""],
             "mails":[{"primary":true,"address":"","value":"a@x"}],"teams":[{"slug":"","title":"T"},{"slug":""}]}
            """#.replacing(#""""#, with: none)
        let profile = try profile(body, keys)
        #expect(profile.subject == "7" && profile.name == "ada" && profile.email == "a@x")
        #expect(profile["groups"] == ["T"] && profile["has_phone"] == true && profile["nickname"] == nil)
        #expect(profile.raw["full_name"] != nil)
        let provider = try Fixture.provider(keys)
        #expect(profile.derivingClaims(at: provider)["roles"] == "a")
        let further = try #require(provider.profile.requests.first)
        let whole = try profile.adding(
            .json(#"{"a":"","b":"Countess","plan":""}"#), to: try Profile.request(further, tokens, at: provider),
            for: further, from: provider)
        #expect(whole["nickname"] == "Countess" && whole["plan"] == nil)
    }

    private static let lists =
        Fixture.plain + """
            profile:
              claims: { subject: /id }
              requests: [{ url: "https://api.acme.example/teams", claims: { groups: { each: /slug } } }]

            """

    private func listed(_ response: IncomingResponse, _ yaml: String = lists) throws -> Profile {
        let provider = try Fixture.provider(yaml)
        let further = try #require(provider.profile.requests.first)
        return try profile(#"{"id":1}"#, yaml).adding(
            response, to: try Profile.request(further, tokens, at: provider), for: further, from: provider)
    }

    @Test(
        "A list has the value of each candidate, of any kind",
        arguments: [
            (#"[{"slug":"a"},{"slug":7},{"slug":true}]"#, ["a", 7, true]),
            (#"[{"slug":null},{"slug":["x"]},{"slug":{}},{},5,null,{"slug":"a"}]"#, [["x"], [:], "a"]),
            (#"{"slug":"a"}"#, ["a"]), ("[]", []), ("[[]]", []),
        ] as [(String, JSONValue)])
    func lists(body: String, groups: JSONValue) throws {
        let profile = try listed(.json(body))
        #expect(profile["groups"] == groups)
        #expect(profile.failures.isEmpty && profile.subject == "1")
    }

    @Test("A claim may be an object or a list of objects, of which templates use nothing, and never the subject")
    func objects() throws {
        let keys =
            Fixture.plain + """
                inputs: { nobody: { type: text, optional: true } }
                profile:
                  claims:
                    subject: [/owner, /id]
                    owner: /owner
                    teams: { root: /teams, where: { active: true }, each: '' }
                    leads: { root: /teams, each: /lead }
                  derive:
                    nickname: "{join(',', claim.teams)}"
                    note: "{claim.owner}"
                    label: "{first(claim.owner, claim.teams, claim.name, input.nobody)}"

                """
        let body = #"""
            {"id":7,"name":"Ada","owner":{"id":1},"teams":[{"id":1,"active":true,"lead":{"id":5}},{"id":2,"active":0},null]}
            """#
        let profile = try profile(body, keys).derivingClaims(at: try Fixture.provider(keys))
        #expect(profile["owner"] == ["id": 1] && profile.subject == nil)
        #expect(profile["teams"] == [["id": 1, "active": true, "lead": ["id": 5]]] && profile["leads"] == [["id": 5]])
        #expect(profile["nickname"] == nil && profile["note"] == nil && profile["label"] == "Ada")
        let many = #"{"id":7,"teams":[\#(Array(repeating: #"{"active":true}"#, count: 1001).joined(separator: ","))]}"#
        #expect(try self.profile(many, keys)["teams"]?.array?.count == 1000)
    }

    @Test("A body without the list brings no claim")
    func noList() throws {
        let below = Self.lists.replacing("claims: { groups", with: "root: /items, claims: { groups")
        #expect(try listed(.json(#"{"other":[]}"#), below)["groups"] == nil)
        #expect(try listed(.json(#"{"items":[]}"#), below)["groups"] == [])
    }

    // RFC 8288, section 3.3, and the header of https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api.
    @Test(
        "A list with further pages is read as far as it came, and the profile says that it is incomplete",
        arguments: [
            (
                #"<https://api.acme.example/t?page=2>; rel="next", <https://api.acme.example/t?page=5>; rel="last""#,
                true
            ),
            (#"<https://api.acme.example/teams?page=2>; REL=Next"#, true),
            (#"<https://api.acme.example/teams?page=1>; rel="prev""#, false),
        ])
    func pages(link: String, isIncomplete: Bool) throws {
        var response = IncomingResponse.json(#"[{"slug":"a"}]"#)
        response.head.headerFields[try #require(HTTPField.Name("Link"))] = link
        let profile = try listed(response)
        #expect(profile["groups"] == ["a"])
        #expect(profile.failures.map(\.kind) == (isIncomplete ? [.unsupported] : []))
        #expect(profile.failures.allSatisfy { $0.disposition != .signInAgain && $0.message.contains("groups") })
    }

    @Test("A list has at most 1,000 values")
    func longList() throws {
        let all = (0..<1001).map { #"{"slug":"\#($0)"}"# }
        let most = try listed(.json("[" + all.dropLast().joined(separator: ",") + "]"))
        #expect(most["groups"]?.array?.count == 1000 && most.failures.isEmpty)
        let more = try listed(.json("[" + all.joined(separator: ",") + "]"))
        #expect(more["groups"]?.array?.count == 1000 && more.failures.count == 1)
    }

    // LOG-01.
    @Test("Echoed access token is removed")
    func echoedAccessTokenIsTakenOut() throws {
        let challenge = IncomingResponse.empty(
            status: 401,
            header: (.wwwAuthenticate, #"Bearer error="invalid_token", error_description="bad access-token-1""#))
        let body = IncomingResponse.json(
            #"{"error":"x","error_description":"bad access-token-1"}"#, status: 400)
        let type = IncomingResponse.canned("", type: "text/access-token-1")
        for response in [challenge, body, type] {
            let error = try #require(#expect(throws: OAuthError.self) { try validate(response) })
            #expect(!"\(error)".contains("access-token-1"))
            let request = try Profile.request(tokens, at: try Fixture.provider())
            #expect(!"\(RedactedResponse(response, to: request))".contains("access-token-1"))
        }
    }

    @Test("A status in a body is shown, and a code is not")
    func statusInABody() throws {
        let request = try Profile.request(tokens, at: try Fixture.provider())
        let body = IncomingResponse.json(
            #"{"code":0,"meta":{"code":200},"data":{"code":"s3cr3t"},"loginResponse":{"code":123456}}"#)
        let shown = "\(RedactedResponse(body, to: request))"
        #expect(shown.contains(#""code":0"#) && shown.contains(#""code":200"#), "\(shown)")
        #expect(!shown.contains("s3cr3t") && !shown.contains("123456"), "\(shown)")
        let error = IncomingResponse.json(#"{"code":40029}"#, status: 400)
        #expect("\(RedactedResponse(error, to: request))".contains("40029"))
    }

    @Test(
        "A code is hidden if it may open something, by the word before it",
        arguments: [
            (#"{"error":{"code":"x-1"}}"#, true), (#"{"country":{"data":[{"code":"x-1"}]}}"#, true),
            (#"{"return":{"code":"x-1"}}"#, false), (#"{"mfa":{"code":"x-1"}}"#, false),
            (#"{"errors":[{"code":"x-1"}]}"#, true), (#"{"code":"x-1"}"#, false), (#"[{"code":"x-1"}]"#, false),
            (#"{"result":{"code":"x-1"}}"#, false), (#"{"device":{"code":"x-1"}}"#, false),
            (#"{"logins":[{"info":{"code":"x-1"}}]}"#, false), (#"{"error":{"auth_code":"x-1"}}"#, false),
            (#"{"error":{"code":"access-token-1"}}"#, false),
        ])
    func code(_ body: String, isShown: Bool) throws {
        let request = try Profile.request(tokens, at: try Fixture.provider())
        let shown = "\(RedactedResponse(.json(body), to: request))"
        #expect(shown.contains("x-1") == isShown && !shown.contains("access-token-1"), "\(shown)")
    }

    @Test(
        "What is stated in another form is not stated to be true",
        arguments: [
            (.bool(true), true), ("true", true), (.bool(false), false), ("false", false), ("0", false), (0, false),
            (1, false), ("", false), (.null, nil),
        ] as [(JSONValue, Bool?)])
    func decidedTruth(_ stated: JSONValue, _ decided: Bool?) {
        #expect(stated.decidedTruth == decided)
    }

    @Test("Profile of the ID token")
    func profileOfTheIDToken() throws {
        let token = try Issuer().validate(changing: ["name": "Ada"])
        let profile = Profile(token, from: try Fixture.provider())
        #expect(profile.subject == "user-1")
        #expect(profile.name == "Ada")
    }

    @Test("Profile that came with the tokens holds no tokens")
    func profileThatCameWithTheTokensHoldsNoTokens() throws {
        let attempt = try Attempt(
            Fixture.plain
                + "token: { response: { fields: { access_token: /authed_user/access_token, refresh_token: /rt } } }\n"
                + "profile: { from: token, claims: { subject: /authed_user/id, country: /authed_user/country_code } }\n"
        )
        let body =
            #"{"authed_user":{"id":"U1","country_code":"FI","access_token":"xoxp-secret-1"},"rt":"xoxr-secret-2","token_type":"user-bearer","access_token":"xoxb-secret-3","copies":["xoxp-secret-1"]}"#
            .replacing("user-bearer", with: "bearer")
        let response = try TokenResponse(validating: .json(body), to: try attempt.exchange(), from: attempt.provider)
        #expect(response.accessToken.reveal() == "xoxp-secret-1")
        let profile = Profile(response, from: attempt.provider)
        #expect(profile.subject == "U1")
        #expect(profile["country"]?.string == "FI")
        for text in [
            profile.raw.jsonText(), "\(response)", String(reflecting: response), dumped(response), dumped(profile),
        ] {
            #expect(!text.contains("secret"))
        }
        let restored = try Profile(stored: profile.raw.jsonText(), from: attempt.provider)
        #expect(restored.subject == "U1")
    }

    @Test("A claim that says whether there is a value neither keeps nor shows the value")
    func presenceShowsNoValue() throws {
        let attempt = try Attempt(
            Fixture.plain
                + "profile: { from: token, claims: { subject: /id, has_code: { present: /seed }, "
                + "has_key: { root: /devices, where: { main: true }, present: /seed } } }\n")
        let body =
            #"{"access_token":"at","token_type":"bearer","id":"U1","seed":"seed-1","devices":[{"main":true,"seed":"seed-2"}]}"#
        let request = try attempt.exchange()
        let profile = Profile(
            try TokenResponse(validating: .json(body), to: request, from: attempt.provider), from: attempt.provider)
        #expect(profile["has_code"] == true && profile["has_key"] == true)
        let shown = RedactedResponse(.json(body), to: request, at: attempt.provider).body
        #expect(shown.contains("U1") && !shown.contains("seed-"), "\(shown)")
        #expect(!profile.raw.jsonText().contains("seed-"))
    }

    @Test("Damaged stored profile is an error")
    func damagedStoredProfileIsAnError() throws {
        let provider = try Fixture.provider()
        expectError(.profile, .malformedBody) { try Profile(stored: "{", from: provider) }
    }
}
