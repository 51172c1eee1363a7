// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import CarnetUserAgent
import Foundation
import HTTPTypes
import Testing

/// What real servers were seen doing: taken where that is safe, and reported clearly where it is not.
@Suite("INT: servers that deviate", .searchedForSecrets)
struct PeculiarServerTests {
    private func basic(_ secret: String) -> String { "Basic " + Data("client:\(secret)".utf8).base64EncodedString() }

    /// The secrets that most servers issue are the same in both encodings.
    @Test("INT-01: Basic that is not decoded", arguments: ["raw", "percent"])
    func INT_01_basicThatIsNotDecoded(encoding: String) async throws {
        let flow = Flow.signIn.adding("client: { basic_encoding: \(encoding) }")
        try await accept(in: flow) { scenario, _ in
            let header = scenario.requests(to: "/token").first?.headers[.authorization]
            #expect(header == basic(Scenario.clientSecret))
        }
    }

    @Test("INT-02: Space is no plus")
    func INT_02_spaceIsNoPlus() async throws {
        let flow = Flow.signIn.registered { $0.clientSecret = Secret("a secret with spaces") }
        try await accept(in: flow) { scenario, _ in
            let header = scenario.requests(to: "/token").first?.headers[.authorization]
            #expect(header == basic("a%20secret%20with%20spaces"))
        }
    }

    @Test("INT-03: Colon in the secret")
    func INT_03_colonInTheSecret() async throws {
        let secret = "before:after-the-colon"
        let flow = Flow.signIn.registered { $0.clientSecret = Secret(secret) }
        try await accept(in: flow) { scenario, _ in
            let header = scenario.requests(to: "/token").first?.headers[.authorization]
            #expect(header == basic("before%3Aafter-the-colon"))
        }
        try await accept(in: flow.adding("client: { authentication: [client_secret_post] }")) { scenario, _ in
            let request = try #require(scenario.requests(to: "/token").first)
            #expect(request.form["client_secret"] == secret)
            #expect(request.headers[.authorization] == nil)
        }
    }

    /// The server here looks at no proof key either.
    @Test("INT-04: PKCE that is ignored")
    func INT_04_proofKeyThatIsIgnored() async throws {
        try await refuse(.idToken, .nonceMismatch) { $0.idToken.claims["nonce"] = "nonce-of-the-victims-sign-in" }
    }

    @Test("INT-05: Challenge is always sent")
    func INT_05_challengeIsAlwaysSent() async throws {
        try await accept {
            $0.metadata["code_challenge_methods_supported"] = nil
        } check: { scenario, outcome in
            #expect(outcome.request?.url.contains("code_challenge=") == true)
            #expect(scenario.requests(to: "/token").first?.form["code_verifier"] != nil)
        }
    }

    @Test("INT-06: Error without issuer")
    func INT_06_errorWithoutIssuer() async throws {
        try await refuse(.callback, .serverError) { $0.callback = [("error", "access_denied"), ("state", "{state}")] }
        try await refuse(.callback, .missingIssuer) { $0.callback.remove(at: 2) }
    }

    @Test("INT-07: Issuer that was not announced")
    func INT_07_issuerThatWasNotAnnounced() async throws {
        let flow = Flow.signIn.served { $0.metadata["authorization_response_iss_parameter_supported"] = nil }
        try await accept(in: flow) { #expect($1.tokens != nil) }
        try await refuse(.callback, .issuerMismatch, in: flow) { $0.callback[2].value = "https://evil.example" }
    }

    @Test("INT-08: Errors of the server's own")
    func INT_08_errorsOfTheServersOwn() async throws {
        try await refuse(.tokenRequest, .serverError) { $0.token = .error("invalid_code", status: 403) }
        try await refuse(.tokenRequest, .unexpectedStatus, each: [400, 403]) {
            $0.token = .text("", status: $1, type: "text/plain")
        }
        try await refuse(.refresh, .unexpectedStatus, in: .refresh) {
            $0.refresh = .text("", status: 400, type: "text/plain")
        }
        try await refuse(.tokenRequest, .serverError) { $0.token = .error("unauthorized_client", status: 403) }
    }

    /// Nothing was to be shown, and the login page is there: nobody responds to it.
    @Test("INT-09: Page in a silent sign-in")
    func INT_09_pageInASilentSignIn() async throws {
        let client = try Flow.signIn.registered { $0.redirectURI = "http://127.0.0.1/callback" }.client(of: Scenario())
        let agent = LoopbackUserAgent(timeout: .milliseconds(20), presentation: .show { _ in })
        await expectRefusal(.expiredAttempt) {
            try await client.signIn(with: agent, options: AuthorizationOptions(prompt: [.none]))
        }
    }

    @Test("INT-10: Profile without issuer and audience")
    func INT_10_profileWithoutIssuerAndAudience() async throws {
        try await accept(in: .profile) { script in
            var profile = Token()
            profile.claims = JSONObject()
            profile.claims["sub"] = "user-1"
            script.userinfo.headers = [("Content-Type", "application/jwt")]
            script.userinfo.signed = profile
        } check: {
            #expect($1.profile?.subject == "user-1")
        }
    }

    /// A refusal is known by its status, however its challenge is written.
    private func refuseCall(_ challenge: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let flow = Flow.call.served { $0.token["refresh_token"] = nil }
        try await refuse(.resource, .unauthorized, in: flow, sourceLocation: sourceLocation) { script in
            script.resource = ServerResponse(.object(JSONObject()), status: 401)
            script.resource.headers.append(("WWW-Authenticate", challenge))
        }
    }

    @Test("INT-10: Challenge without quotes")
    func INT_10_challengeWithoutQuotes() async throws {
        try await refuseCall("Bearer error=invalid_request,error_description=Invalid request")
    }

    @Test("INT-11: Challenge without scheme")
    func INT_11_challengeWithoutScheme() async throws {
        try await refuseCall("error=\"invalid_token\", error_description=\"The token is wrong\"")
        try await refuse(.tokenRequest, .serverError) { $0.token = .error("invalid_client", status: 400) }
    }

    @Test("INT-12: Bad token that is a bad request")
    func INT_12_badTokenThatIsABadRequest() async throws {
        try await accept(in: .profile) { script in
            let good = script.userinfo
            script.userinfo = .error("invalid_token", status: 400)
            script.userinfo.later = [good]
        } check: { scenario, outcome in
            #expect(outcome.profile?.subject == "user-1")
            #expect(scenario.count("/token") == 2)
        }
    }

    @Test("INT-13: Fewer scopes")
    func INT_13_fewerScopes() async throws {
        try await accept {
            $0.token["scope"] = "openid"
        } check: {
            #expect($1.tokens?.scopes == ["openid"])
        }
    }

    @Test("INT-14: Server that trips")
    func INT_14_serverThatTrips() async throws {
        try await refuse(.tokenRequest, .serverUnavailable) { $0.token = .text("", status: 500, type: "text/html") }
        try await accept(
            in: Flow(isSignedIn: true) { scenario, outcome in
                let end = try await outcome.session?.introspect().expiresAt
                scenario.output.add("it ends at \(end?.timeIntervalSince1970 ?? 0)")
                outcome.signOut = try await outcome.session?.signOut(.everywhere)
            }
        ) {
            $0.introspection["exp"] = .number("1796152621.5")
        } check: {
            #expect($0.output.text.contains("it ends at 1796152621.5"))
            #expect($1.signOut?.endSessionURL?.reveal().contains("client_id=\(Scenario.clientID)") == true)
        }
    }

    @Test("INT-15: Offline access takes consent")
    func INT_15_offlineAccessTakesConsent() async throws {
        let offline = Flow.openID.replacingOccurrences(of: "scopes: {", with: "scopes: { offline: [offline_access],")
        let flow = Flow.signIn.of(offline + "authorization: { offline_parameters: { prompt: consent } }\n")
        try await accept(in: flow) { #expect($1.request?.url.contains("prompt=consent") == true) }
    }

    @Test("INT-16: Assertion for the endpoint")
    func INT_16_assertionForTheEndpoint() async throws {
        let key = try ClientKey.generate(.ES256)
        let flow = Flow.signIn.registered { registration in
            registration.clientSecret = nil
            registration.signingKey = key
        }.adding("client: { authentication: [private_key_jwt], assertion: { audience: token_endpoint } }")
        try await accept(in: flow) { scenario, _ in
            let assertion = try #require(scenario.requests(to: "/token").first?.form["client_assertion"])
            let audience = Scenario.claims(of: assertion).first { $0.name == "aud" }?.value
            #expect(audience == "https://id.acme.example/token")
        }
        try await accept(in: .register) {
            $0.registration.status = 200
        } check: {
            #expect($1.registered != nil)
        }
    }

    @Test("INT-16: Logout that says little")
    func INT_16_logoutThatSaysLittle() async throws {
        var token = LogoutAttackTests.token
        token.header["typ"] = "JWT"
        for name in ["exp", "sid"] { token.claims[name] = nil }
        for (yaml, ends) in [("logout: { missing_exp: the server sends none }", true), ("", false)] {
            let scenario = Scenario()
            let client = try Flow.signIn.adding(yaml).client(of: scenario)
            _ = try await client.signIn(at: scenario)
            let logout = Secret(try scenario.compact(token, nonce: "", accessToken: ""))
            if ends {
                #expect(try await client.endSessions(namedBy: logout).count == 1)
            } else {
                await expectRefusal(.missingField) { try await client.endSessions(namedBy: logout) }
            }
        }
    }

    @Test("INT-17: Odd registration")
    func INT_17_oddRegistration() async throws {
        try await accept(in: .register) {
            $0.registration["client_id_issued_at"] = "1767225600"
            $0.registration["logo_uri"] = .null
        } check: {
            #expect($1.registered?.clientID == "registered-1")
        }
    }

    @Test("INT-18: Metadata that lists none")
    func INT_18_metadataThatListsNone() async throws {
        let flow = Flow.signIn.served { $0.metadata["id_token_signing_alg_values_supported"] = ["none", "RS256"] }
        try await accept(in: flow) { #expect($1.tokens != nil) }
        try await refuse(.idToken, .unsupportedAlgorithm, in: flow) { script in
            script.idToken.header["alg"] = "none"
            script.idToken.algorithm = nil
        }
    }

    @Test("INT-19: Metadata that says little")
    func INT_19_metadataThatSaysLittle() async throws {
        let flow = Flow.signOut.adding("endpoints: { revocation: https://id.acme.example/revoke }").served { script in
            for name in ["grant_types_supported", "code_challenge_methods_supported", "revocation_endpoint"] {
                script.metadata[name] = nil
            }
        }
        try await accept(in: flow) { #expect($1.signOut?.isRevoked == true) }
    }

    @Test("INT-20: Device flow that trips")
    func INT_20_deviceFlowThatTrips() async throws {
        try await refuse(.deviceAuthorization, .serverUnavailable, in: .device) {
            $0.device = .text("", status: 500, type: "text/html")
        }
    }

    /// django-oauth-toolkit and django-allauth send none; a code still has to bring one.
    @Test("INT-20: Device flow without ID token")
    func INT_20_deviceFlowWithoutIDToken() async throws {
        try await accept(in: .device) {
            $0.token["id_token"] = nil
        } check: {
            #expect($1.session?.key.account == "user-1" && $1.tokens?.idToken == nil)
        }
        try await refuse(.tokenRequest, .missingField) { $0.token["id_token"] = nil }
    }

    /// Servers that keep the first token good are never asked to show it.
    @Test("INT-21: Code that serves twice")
    func INT_21_codeThatServesTwice() async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        let request = try await client.beginSignIn()
        let callback = scenario.callback(request)
        _ = try await client.completeSignIn(callback, for: request.pending)
        await expectRefusal(.alreadyUsed) { try await client.completeSignIn(callback, for: request.pending) }
        #expect(scenario.count("/token") == 1)
    }

    @Test("INT-22: Metadata that nobody uses")
    func INT_22_metadataThatNobodyUses() async throws {
        let members: [(String, JSONValue)] = [
            ("registration_endpoint", ""), ("introspection_endpoint", "http://id.acme.example/introspect"),
            ("revocation_endpoint", "/revoke"), ("end_session_endpoint", 5), ("device_authorization_endpoint", []),
            ("authorization_response_iss_parameter_supported", "true"), ("mtls_endpoint_aliases", "none"),
            ("userinfo_signing_alg_values_supported", "RS256"),
        ]
        try await accept(each: members) {
            $0.metadata[$1.0] = $1.1
        } check: { _, outcome, _ in
            #expect(outcome.profile?.subject == "user-1")
        }
        // What a text announces is demanded all the same.
        try await refuse(.callback, .missingIssuer) { script in
            script.metadata["authorization_response_iss_parameter_supported"] = "true"
            script.callback.remove(at: 2)
        }
        // And the one use of such an endpoint fails with an error.
        let flow = Flow.register.served { $0.metadata["registration_endpoint"] = "http://id.acme.example/register" }
        await flow.expectRefusal(.badDescriptor)
    }

    @Test("INT-23: Empty strings")
    func INT_23_emptyTexts() async throws {
        let flow = Flow.plainSignIn.of(Flow.plain + "token: { response: { default_token_type: Bearer } }\n")
        try await accept(in: flow, each: ["refresh_token", "id_token", "token_type", "scope"]) {
            $0.token[$1] = ""
        } check: { _, outcome, _ in
            #expect(outcome.tokens?.idToken == nil)
            #expect(outcome.tokens?.tokenType == "Bearer")
            #expect(outcome.tokens?.scopes.isEmpty == false)
        }
        try await refuse(.tokenRequest, .wrongFieldType, in: flow) { $0.token["access_token"] = "" }
        // A refresh keeps what it brings nothing new of.
        try await accept(in: .refresh) {
            $0.refresh["refresh_token"] = ""
            $0.refresh["scope"] = ""
        } check: {
            #expect($1.tokens?.refreshToken != nil)
            #expect($1.tokens?.scopes == ["openid", "profile", "email"])
        }
    }

    @Test("INT-24: Lifetime that cannot be")
    func INT_24_lifetimeThatCannotBe() async throws {
        try await accept(in: .refresh, each: [-1, "", .number("9e18"), "-3600"] as [JSONValue]) {
            $0.refresh["expires_in"] = $1
        } check: { scenario, outcome, _ in
            let tokens = try #require(outcome.tokens)
            #expect(tokens.expiresAt.map { $0 > scenario.clock.now } ?? true)
        }
    }

    @Test("INT-25: Members of a key that say nothing")
    func INT_25_membersOfAKeyThatSayNothing() async throws {
        try await accept(each: ["use", "alg", "key_ops", "x5t", "x5c"]) { script, name in
            script.keys["keys"] = [try SigningKey.rsa.jwk(["kid": "1", name: .null])]
        }
        try await accept {
            $0.keys["keys"] = [try SigningKey.rsa.jwk(["kid": "1", "key_ops": []])]
        } check: {
            #expect($1.tokens != nil)
        }
    }

    @Test("INT-26: Claims that are null")
    func INT_26_claimsThatAreNull() async throws {
        try await accept(each: ["azp", "nbf", "at_hash", "c_hash", "auth_time", "acr"]) {
            $0.idToken.claims[$1] = .null
        }
        try await refuse(.idToken, .nonceMismatch) { $0.idToken.claims["nonce"] = .null }
        try await refuse(.idToken, .audienceMismatch) {
            $0.idToken.claims["aud"] = ["client", "other"]
            $0.idToken.claims["azp"] = .null
        }
    }
}
