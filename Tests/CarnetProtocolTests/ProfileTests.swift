import CarnetDescriptors
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
    private func profile(
        _ body: String,
        _ yaml: String = Fixture.openID,
        subject: String? = nil,
        status: Int = 200
    ) throws -> Profile {
        try validate(.json(body, status: status), yaml, subject: subject)
    }

    private func validate(
        _ response: IncomingResponse,
        _ yaml: String = Fixture.openID,
        subject: String? = nil
    ) throws -> Profile {
        let provider = try Fixture.provider(yaml)
        return try Profile(
            validating: response, to: try Profile.request(tokens, at: provider), from: provider, subject: subject)
    }

    // UI-02.
    @Test("Token goes in the header only")
    func tokenGoesInTheHeaderOnly() throws {
        let request = try Profile.request(tokens, at: try Fixture.provider())
        #expect(request.header("Authorization") == "Bearer access-token-1")
        #expect(request.outgoing.head.path == "/userinfo")
        #expect(request.outgoing.head.method == .get)
        #expect(!"\(request.redacted)".contains("access-token-1"))
    }

    // UI-10.
    @Test("Missing endpoint is named")
    func missingEndpointIsNamed() throws {
        let provider = try Fixture.provider(Fixture.discovered)
        let error = expectError(.profile, .missingEndpoint) { try Profile.request(tokens, at: provider) }
        #expect(error?.descriptorKey == "endpoints.userinfo")
        #expect(Profile.source(at: provider) == .idToken)
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

    // G18, A10: each may be missing and of any type.
    @Test("Odd types and missing claims do not matter")
    func oddTypesAndMissingClaimsDoNotMatter() throws {
        let profile = try profile(
            #"{"sub":"u","name":null,"email_verified":true,"address":{"street":"x"},"updated_at":"2026-01-01T00:00:00Z","picture":7,"locale":[]}"#
        )
        #expect(profile.name == nil)
        #expect(profile.picture == "7")
        #expect(profile.locale == nil)
        #expect(profile["locale"] == [])
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

    // UI-08.
    @Test("Numeric subject keeps every digit")
    func numericSubjectKeepsEveryDigit() throws {
        let profile = try profile(
            #"{"id":9007199254740993,"login":"ada"}"#,
            Fixture.plain + "profile: { claims: { subject: /id, username: /login } }\n")
        #expect(profile.subject == "9007199254740993")
        #expect(profile.username == "ada")
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

    // UI-01, TOK-17.
    @Test(
        "Profile of another subject is thrown away",
        arguments: [#"{"sub":"other"}"#, #"{"sub":"USER-1"}"#, "{}", #"{"sub":["user-1"]}"#, "[]", #"{"sub":null}"#])
    func profileOfAnotherSubjectIsThrownAway(_ body: String) throws {
        expectError(.profile, .subjectMismatch) { try profile(body, subject: "user-1") }
        #expect(try profile(#"{"sub":"user-1"}"#, subject: "user-1").subject == "user-1")
    }

    // UI-06: claims of the ID token are not overwritten; they are apart.
    @Test("Userinfo has no power over issuer and audience")
    func userinfoHasNoPowerOverIssuerAndAudience() throws {
        let profile = try profile(#"{"sub":"u","iss":"https://evil.example","aud":"evil"}"#, subject: "u")
        #expect(profile["iss"] == nil)
        #expect(profile.subject == "u")
    }

    // UI-03, UI-09.
    @Test("Other status is rejected", arguments: [201, 204, 302, 400, 404, 429, 500])
    func otherStatusIsRefused(_ status: Int) throws {
        let error = try #require(
            #expect(throws: OAuthError.self) { try profile(#"{"sub":"u"}"#, status: status) })
        #expect(error.step == .profile)
        #expect(error.status == status)
        #expect(error.kind == (status == 500 || status == 429 ? .serverUnavailable : .unexpectedStatus))
    }

    // UI-03.
    @Test("Unauthorized is typed and carries the challenge")
    func unauthorizedIsTypedAndCarriesTheChallenge() throws {
        let error = expectError(.profile, .unauthorized) {
            try validate(
                .empty(
                    status: 401,
                    header: (.wwwAuthenticate, #"Bearer error="invalid_token", error_description="it ended""#)))
        }
        #expect(error?.server?.code == "invalid_token")
        #expect(error?.server?.message == "it ended")
    }

    // UI-03, INT-12: some servers say 400 where the standard has 401.
    @Test("Invalid token with status 400 is unauthorized too")
    func invalidTokenWithStatus400IsUnauthorizedToo() throws {
        expectError(.profile, .unauthorized) { try profile(#"{"error":"invalid_token"}"#, status: 400) }
        expectError(.profile, .unauthorized) {
            try validate(.empty(status: 400, header: (.wwwAuthenticate, #"Bearer error="invalid_token""#)))
        }
    }

    // UI-03.
    @Test("Forbidden is insufficient scope")
    func forbiddenIsInsufficientScope() throws {
        let error = expectError(.profile, .insufficientScope) {
            try validate(
                .empty(
                    status: 403, header: (.wwwAuthenticate, #"Bearer error="insufficient_scope", scope="profile""#)))
        }
        #expect(error?.hint?.contains("profile") == true)
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

    // UI-09.
    @Test("Other bodies are rejected")
    func otherBodiesAreRefused() throws {
        expectError(.profile, .unexpectedContentType) { try validate(.canned("<html>", type: "text/html")) }
        expectError(.profile, .unexpectedContentType) { try validate(.canned("a.b.c", type: "application/jwt")) }
        expectError(.profile, .malformedBody) { try profile("") }
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

    @Test("Damaged stored profile is an error")
    func damagedStoredProfileIsAnError() throws {
        let provider = try Fixture.provider()
        expectError(.profile, .malformedBody) { try Profile(stored: "{", from: provider) }
    }
}
