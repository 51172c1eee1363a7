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
