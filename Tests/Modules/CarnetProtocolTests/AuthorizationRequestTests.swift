import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Crypto
import Foundation
import Testing

@Suite("Authorization request")
struct AuthorizationRequestTests {
    @Test("Sends the parameters of the code flow")
    func sendsTheParametersOfTheCodeFlow() throws {
        let attempt = try Attempt()
        let sent = attempt.sent
        #expect(attempt.request.url.hasPrefix("https://id.acme.example/authorize?response_type=code&client_id=client&"))
        #expect(sent["redirect_uri"] == Attempt.redirectURI)
        #expect(sent["scope"] == "openid profile email offline_access")
        #expect(sent["state"] == attempt.state)
        #expect(sent["code_challenge_method"] == "S256")
        #expect(sent["code_verifier"] == nil)
        #expect(
            Set(sent.keys) == [
                "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
                "code_challenge_method",
            ])
    }

    @Test("A parameter that the endpoint has already is sent once; with another value it is refused")
    func parameterOfTheEndpoint() throws {
        func attempt(_ value: String) throws -> Attempt {
            try Attempt(
                """
                carnet: 1
                id: acme
                name: Acme
                endpoints:
                  authorization: https://id.acme.example/authorize?audience=https%3A%2F%2Fapi.example&x=1
                  token: https://id.acme.example/token
                authorization: { parameters: { audience: '\(value)' } }
                """)
        }
        let url = try attempt("https://api.example").request.url
        #expect(url.split(separator: "audience=").count == 2)
        let error = #expect(throws: OAuthError.self) { try attempt("https://other.example") }
        #expect(error?.kind == .reservedParameter)
    }

    // AREQ-01, AREQ-02, AREQ-03.
    @Test("State nonce and challenge are fresh and long")
    func stateNonceAndChallengeAreFreshAndLong() throws {
        let random = SystemBytes()
        let provider = try Fixture.provider()
        let registration = ClientRegistration(clientID: "client", redirectURI: Attempt.redirectURI)
        var seen = Set<String>()
        for _ in 0..<200 {
            let request = try AuthorizationRequest(
                to: provider.discovered, as: registration, random: random, now: Attempt.now)
            let sent = decodedForm(String(request.url.drop { $0 != "?" }.dropFirst()))
            for name in ["state", "nonce", "code_challenge"] {
                let value = try #require(sent[name])
                #expect(value.utf8.count == 43)
                #expect(
                    value.utf8.allSatisfy { $0 == 0x2D || $0 == 0x5F || Character(UnicodeScalar($0)).isAlphanumeric })
                #expect(seen.insert(value).inserted)
            }
        }
        #expect(seen.count == 600)
    }

    // RFC 7636, appendix B.
    @Test("Challenge is that of the standard's example")
    func challengeIsThatOfTheStandardsExample() throws {
        let octets: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191,
            240, 91, 88, 5, 88, 83, 132, 141, 121,
        ]
        let provider = try Fixture.provider()
        let registration = ClientRegistration(clientID: "client", redirectURI: Attempt.redirectURI)
        let request = try AuthorizationRequest(
            to: provider.discovered,
            as: registration,
            random: FixedBytes(bytes: octets + octets + octets),
            now: Attempt.now
        )
        #expect(request.url.contains("code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&"))
        let callback = AuthorizationCallback(
            url: "\(Attempt.redirectURI)?code=c&state=\(request.pending.id.reveal())")
        let validated = try request.pending.validate(callback, from: provider.discovered, now: Attempt.now)
        let exchange = try TokenRequest.authorizationCode(validated, at: provider, as: registration)
        #expect(exchange.form["code_verifier"] == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    }

    // A generator that fails must not make a guessable state.
    @Test("Too few random bytes are an error", arguments: [0, 1, 31])
    func tooFewRandomBytesAreAnError(_ count: Int) throws {
        let provider = try Fixture.provider()
        let registration = ClientRegistration(clientID: "client", redirectURI: Attempt.redirectURI)
        expectError(.configuration, .unsupported) {
            try AuthorizationRequest(
                to: provider.discovered,
                as: registration,
                random: FixedBytes(bytes: Array(repeating: 7, count: count)),
                now: Attempt.now
            )
        }
    }

    // AREQ-06.
    @Test("Every value survives encoding", arguments: awkwardValues)
    func everyValueSurvivesEncoding(_ value: String) throws {
        let attempt = try Attempt(
            clientID: value,
            options: AuthorizationOptions(parameters: ["login_hint": value])
        )
        #expect(attempt.sent["client_id"] == value)
        #expect(attempt.sent["login_hint"] == value)
    }

    @Test("Scopes are joined by space and encoded as %20")
    func scopesAreJoinedBySpaceAndEncodedAsPercent20() throws {
        let attempt = try Attempt(options: AuthorizationOptions(scopes: ["a+b", "c:d/e"], requestsRefreshToken: false))
        #expect(attempt.request.url.contains("&scope=a%2Bb%20c%3Ad%2Fe&"))
    }

    @Test("Separator is the descriptor's")
    func separatorIsTheDescriptors() throws {
        let attempt = try Attempt(Fixture.plain + "  \n" + "authorization: { rename: { scope: user_scope } }\n")
        #expect(attempt.sent["user_scope"] == "read write")
        #expect(attempt.sent["scope"] == nil)
        let comma = try Attempt(
            Fixture.plain.replacingOccurrences(of: "[read, write] }", with: "[read, write], separator: \",\" }"))
        #expect(comma.sent["scope"] == "read,write")
    }

    @Test("Text that is no scope is rejected", arguments: ["a b", "", "q\"", "back\\slash", "é"])
    func textThatIsNoScopeIsRefused(_ scope: String) {
        expectError(.authorization, .badRegistration) {
            try Attempt(options: AuthorizationOptions(scopes: [scope]))
        }
    }

    // DISC-11.
    @Test("Keeps the endpoint's own query")
    func keepsTheEndpointsOwnQuery() throws {
        let attempt = try Attempt(Fixture.openID.replacingOccurrences(of: "/authorize", with: "/authorize?p=b2c_1"))
        #expect(attempt.request.url.hasPrefix("https://id.acme.example/authorize?p=b2c_1&response_type=code&"))
        #expect(attempt.request.redactedURL.hasPrefix("https://id.acme.example/authorize?p=b2c_1&response_type=code&"))
    }

    // DISC-11.
    @Test(
        "Endpoint query with a parameter of the protocol is rejected",
        arguments: ["client_id=evil", "state", "p=1&redirect%5Furi=https://evil.example"])
    func endpointQueryWithAParameterOfTheProtocolIsRefused(_ query: String) {
        let error = expectError(.authorization, .reservedParameter) {
            try Attempt(Fixture.openID.replacingOccurrences(of: "/authorize", with: "/authorize?\(query)"))
        }
        #expect(error?.hint == "remove it from the options, the URL or the descriptor")
    }

    // AREQ-07.
    @Test(
        "Caller's parameters cannot replace the protocol's",
        arguments: [
            "state", "redirect_uri", "code_challenge", "code_challenge_method", "client_id", "response_type", "scope",
            "nonce", "request", "request_uri",
        ])
    func callersParametersCannotReplaceTheProtocols(_ name: String) {
        let error = expectError(.authorization, .reservedParameter) {
            try Attempt(options: AuthorizationOptions(parameters: [name: "x"]))
        }
        #expect(error?.descriptorKey == "parameters.\(name)")
    }

    // AREQ-07: also where this sign-in would not have sent them.
    @Test(
        "Caller's parameters cannot weaken what is off",
        arguments: ["nonce", "code_challenge", "code_challenge_method"])
    func callersParametersCannotWeakenWhatIsOff(_ name: String) {
        expectError(.authorization, .reservedParameter) {
            try Attempt(
                Fixture.plain + "authorization: { pkce: { none: test } }\n",
                options: AuthorizationOptions(parameters: [name: "x"])
            )
        }
    }

    @Test("Descriptor parameters cannot repeat the protocol's")
    func descriptorParametersCannotRepeatTheProtocols() {
        let error = expectError(.authorization, .reservedParameter) {
            try Attempt(Fixture.openID + "authorization: { parameters: { state: fixed } }\n")
        }
        #expect(error?.descriptorKey == "authorization.parameters.state")
    }

    @Test("Renaming two parameters to one name is rejected")
    func renamingTwoParametersToOneNameIsRefused() {
        expectError(.authorization, .reservedParameter) {
            try Attempt(Fixture.openID + "authorization: { rename: { client_id: state } }\n")
        }
    }

    @Test("Omitted parameters are not sent")
    func omittedParametersAreNotSent() throws {
        let attempt = try Attempt(Fixture.plain + "authorization: { omit: [response_type] }\n")
        #expect(attempt.sent["response_type"] == nil)
        #expect(attempt.sent["client_id"] == "client")
    }

    // What makes a provider give a refresh token, when it is wanted and not otherwise.
    @Test("Offline and reconsent parameters follow the options")
    func offlineAndReconsentParametersFollowTheOptions() throws {
        let yaml =
            Fixture.openID
            + "authorization: { offline_parameters: { access_type: offline }, reconsent_parameters: { prompt: consent } }\n"
        let both = try Attempt(yaml, options: AuthorizationOptions(prompt: [.consent])).sent
        #expect(both["access_type"] == "offline")
        #expect(both["prompt"] == "consent")
        let neither = try Attempt(yaml, options: AuthorizationOptions(requestsRefreshToken: false)).sent
        #expect(neither["access_type"] == nil)
        #expect(neither["prompt"] == nil)
        #expect(neither["scope"] == "openid profile email")
    }

    @Test("Nonce is sent with OpenID alone")
    func nonceIsSentWithOpenIDAlone() throws {
        #expect(try Attempt(Fixture.plain).sent["nonce"] == nil)
        #expect(try Attempt().sent["nonce"] != nil)
    }

    @Test("PKCE and nonce can be switched off with a reason")
    func proofKeyAndNonceCanBeSwitchedOffWithAReason() throws {
        let attempt = try Attempt(
            Fixture.openID + "authorization: { pkce: { none: refuses it }, nonce: { none: refuses it } }\n")
        #expect(attempt.sent["code_challenge"] == nil)
        #expect(attempt.sent["nonce"] == nil)
        #expect(attempt.sent["state"] != nil)
        #expect(try attempt.exchange().form["code_verifier"] == nil)
    }

    @Test("Endpoint that is missing is named")
    func endpointThatIsMissingIsNamed() {
        let error = expectError(.authorization, .missingEndpoint) { try Attempt(Fixture.discovered) }
        #expect(error?.descriptorKey == "endpoints.authorization")
    }

    @Test("Attempt ends after its lifetime")
    func attemptEndsAfterItsLifetime() throws {
        let attempt = try Attempt(options: AuthorizationOptions(lifetime: 60))
        #expect(attempt.pending.expiresAt == Attempt.now + 60)
    }

    @Test("Pending attempt survives encoding")
    func pendingAttemptSurvivesEncoding() throws {
        let attempt = try Attempt()
        let restored = try JSONDecoder().decode(
            PendingAuthorization.self,
            from: try JSONEncoder().encode(attempt.pending)
        )
        #expect(restored == attempt.pending)
        let callback = attempt.callback("state=\(attempt.state)&code=c")
        _ = try restored.validate(callback, from: attempt.provider.discovered, now: Attempt.now)
    }
}

@Suite("Registration")
struct RegistrationTests {
    @Test(
        "Bad redirect URIs are rejected",
        arguments: [
            "https://app.example/callback#x", "/callback", "https://app.example/a b", "http://app.example/callback",
            "javascript:alert(1)", "app://callback", "https://user@app.example/callback", "",
        ])
    func badRedirectURIsAreRefused(_ uri: String) {
        expectError(.configuration, .redirectNotAccepted) { try Attempt(redirectURI: uri) }
    }

    @Test(
        "Accepted redirect URIs are sent as registered",
        arguments: [
            "com.example.app:/callback", "https://app.example/callback", "http://127.0.0.1:8123/callback",
            "http://127.0.0.1/callback",
        ])
    func acceptedRedirectURIsAreSentAsRegistered(_ uri: String) throws {
        #expect(try Attempt(redirectURI: uri).sent["redirect_uri"] == uri)
    }

    @Test("Redirect URI of another form is rejected with the forms")
    func redirectURIOfAnotherFormIsRefusedWithTheForms() {
        let error = expectError(.configuration, .redirectNotAccepted) {
            try Attempt(redirectURI: "https://other.example/callback")
        }
        #expect(error?.hint?.contains("https://app.example/{path}") == true)
    }

    @Test("Empty client ID is rejected")
    func emptyClientIDIsRefused() {
        expectError(.configuration, .badRegistration) { try Attempt(clientID: "") }
    }

    @Test("Empty secret is rejected rather than sent")
    func emptySecretIsRefusedRatherThanSent() {
        expectError(.configuration, .badRegistration) { try Attempt(secret: "") }
    }

    @Test("Missing secret is said before the browser opens")
    func missingSecretIsSaidBeforeTheBrowserOpens() {
        let error = expectError(.configuration, .missingClientSecret) {
            try Attempt(Fixture.openID + "client: { authentication: [client_secret_post] }\n")
        }
        #expect(error?.descriptorKey == "client.authentication")
    }

    @Test("Secret of a public client is rejected")
    func secretOfAPublicClientIsRefused() {
        expectError(.configuration, .badRegistration) {
            try Attempt(Fixture.openID + "client: { authentication: [none] }\n", secret: "s3cret")
        }
    }
}

extension Character {
    fileprivate var isAlphanumeric: Bool { isASCII && (isLetter || isNumber) }
}

struct SystemBytes: RandomSource {
    func bytes(count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in generator.next() }
    }
}

struct FixedBytes: RandomSource {
    let bytes: [UInt8]
    func bytes(count: Int) -> [UInt8] { Array(bytes.prefix(count)) }
}
