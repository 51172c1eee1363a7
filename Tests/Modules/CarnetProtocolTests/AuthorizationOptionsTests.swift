import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("Authorization options")
struct AuthorizationOptionsTests {
    private func sent(_ options: AuthorizationOptions, _ yaml: String = Fixture.openID) throws -> [String: String] {
        try Attempt(yaml, options: options).sent
    }

    @Test("Nothing is sent that was not requested")
    func nothingIsSentThatNobodyAskedFor() throws {
        let names = try Set(sent(AuthorizationOptions()).keys)
        #expect(
            names == [
                "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
                "code_challenge_method",
            ])
    }

    // AREQ-15, RAR-01, RES-01.
    @Test("Each option is a parameter")
    func eachOptionIsAParameter() throws {
        let sent = try sent(
            AuthorizationOptions(
                access: .init(
                    resource: ["https://a.example/", "https://b.example/"],
                    authorizationDetails: [["type": "payment", "amount": 5]],
                    claims: JSONObject(members: [.init(name: "id_token", value: ["email": ["essential": true]])])),
                authentication: .init(acrValues: ["urn:a", "urn:b"], maxAge: 300),
                prompt: [.login, .selectAccount],
                loginHint: "ada+x@example.com",
                uiLocales: ["de-CH", "fr"]
            ))
        #expect(sent["resource"] == "https://a.example/|https://b.example/")
        #expect(sent["authorization_details"] == #"[{"type":"payment","amount":5}]"#)
        #expect(sent["claims"] == #"{"id_token":{"email":{"essential":true}}}"#)
        #expect(sent["max_age"] == "300")
        #expect(sent["acr_values"] == "urn:a urn:b")
        #expect(sent["login_hint"] == "ada+x@example.com")
        #expect(sent["prompt"] == "login select_account")
        #expect(sent["ui_locales"] == "de-CH fr")
    }

    // AREQ-10, RES-01, RAR-01.
    @Test(
        "What cannot be sent is rejected",
        arguments: [
            AuthorizationOptions(prompt: [.none, .login]),
            AuthorizationOptions(authentication: .init(maxAge: -1)),
            AuthorizationOptions(access: .init(resource: ["a"])),
            AuthorizationOptions(access: .init(resource: ["https://a.example/#b"])),
            AuthorizationOptions(access: .init(authorizationDetails: ["a"])),
            AuthorizationOptions(access: .init(authorizationDetails: [["amount": 5]])),
            AuthorizationOptions(authentication: .init(acrValues: ["a b"])),
            AuthorizationOptions(access: .init(claims: JSONObject(members: [.init(name: "email", value: .null)]))),
        ])
    func whatCannotBeSentIsRefused(_ options: AuthorizationOptions) {
        expectError(.authorization, .badRegistration) { try sent(options) }
    }

    @Test("Prompt goes in one parameter with the descriptor's")
    func promptGoesInOneParameterWithTheDescriptors() throws {
        let yaml = Fixture.openID + "authorization: { offline_parameters: { prompt: consent, access_type: offline } }\n"
        #expect(try sent(AuthorizationOptions(prompt: [.login]), yaml)["prompt"] == "login consent")
        #expect(try sent(AuthorizationOptions(), yaml)["prompt"] == "consent")
        #expect(try sent(AuthorizationOptions(prompt: [.none]), yaml)["prompt"] == "none")
        #expect(try sent(AuthorizationOptions(prompt: [.login]), yaml)["access_type"] == "offline")
    }

    /// OpenID Connect Core, section 11: without it a provider may ignore the scope.
    @Test("Offline access asks for consent unless the descriptor knows better")
    func offlineAccessAsksForConsentUnlessTheDescriptorKnowsBetter() throws {
        let yaml = Fixture.openID.replacing(", offline: [offline_access]", with: "")
        let scopes = ["openid", "offline_access"]
        #expect(try sent(AuthorizationOptions(scopes: scopes), yaml)["prompt"] == "consent")
        #expect(try sent(AuthorizationOptions(scopes: ["openid"]), yaml)["prompt"] == nil)
        #expect(try sent(AuthorizationOptions(scopes: scopes, requestsRefreshToken: false), yaml)["prompt"] == nil)
        #expect(try sent(AuthorizationOptions(scopes: scopes, prompt: [.login]), yaml)["prompt"] == "login")
        #expect(try sent(AuthorizationOptions(scopes: scopes), Fixture.openID)["prompt"] == nil)
        let own = yaml + "authorization: { offline_parameters: { prompt: select_account } }\n"
        #expect(try sent(AuthorizationOptions(scopes: scopes), own)["prompt"] == "select_account")
    }

    @Test("Option cannot be sent twice")
    func optionCannotBeSentTwice() {
        expectError(.authorization, .reservedParameter) {
            try sent(AuthorizationOptions(loginHint: "a", parameters: ["login_hint": "b"]))
        }
    }

    @Test("Tokens are asked for the same resources")
    func tokensAreAskedForTheSameResources() throws {
        let attempt = try Attempt(options: AuthorizationOptions(access: .init(resource: ["https://a.example/"])))
        #expect(try attempt.exchange().form["resource"] == "https://a.example/")
    }

    @Test("Attempt keeps what its token must prove")
    func attemptKeepsWhatItsTokenMustProve() throws {
        let claims = try JSONValue(parsing: #"{"id_token":{"acr":{"essential":true,"values":["urn:a"]}}}"#).object
        let attempt = try Attempt(
            options: AuthorizationOptions(
                access: .init(claims: claims), authentication: .init(acrValues: ["urn:b"], maxAge: 60)))
        let restored = try JSONDecoder().decode(
            PendingAuthorization.self, from: try JSONEncoder().encode(attempt.pending))
        let callback = try restored.validate(
            attempt.callback("state=\(attempt.state)&code=c"), from: attempt.provider.discovered, now: Attempt.now)
        let expectations = try IDTokenExpectations(
            from: attempt.provider.discovered, as: attempt.registration, for: callback, accessToken: Secret("t"))
        #expect(expectations.maxAge == 60)
        #expect(expectations.essentialACRs == ["urn:a"])
    }
}
