// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("ARES: the authorization response", .searchedForSecrets)
struct CallbackAttackTests {
    @Test("ARES-01: State missing")
    func ARES_01_stateMissing() async throws {
        try await refuse(.callback, .missingState) { $0.callback.remove(at: 1) }
        try await refuse(.callback, .missingState) { $0.callback[1].value = "" }
    }

    @Test("ARES-01: State wrong")
    func ARES_01_stateWrong() async throws {
        try await refuse(
            .callback, .stateMismatch, each: ["x", "{state}x", "x{state}", "{state} ", "null", "undefined", "{code}"]
        ) { $0.callback[1].value = $1 }
        try await refuse(.callback, .malformedCallback) { $0.rawCallback = "code={code}&state=%00{state}" }
    }

    @Test("ARES-01: State of another case or length")
    func ARES_01_stateOfAnotherCaseOrLength() async throws {
        let changes: [@Sendable (String) -> String] = [
            { $0.lowercased() }, { $0.uppercased() }, { String($0.dropLast()) }, { String($0.dropFirst()) },
        ]
        for change in changes {
            let scenario = Scenario()
            let client = try Flow.signIn.client(of: scenario)
            let request = try await client.beginSignIn()
            let state = change(request.pending.id.reveal())
            await expectRefusal(.stateMismatch) {
                try await client.completeSignIn(
                    AuthorizationCallback(url: "\(Scenario.redirectURI)?code=x&state=\(state)"), for: request.pending)
            }
            #expect(scenario.count("/token") == 0)
            _ = try await client.completeSignIn(scenario.callback(request), for: request.pending)
        }
    }

    @Test("ARES-02: Callback twice")
    func ARES_02_callbackTwice() async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        let request = try await client.beginSignIn()
        let callback = scenario.callback(request)
        _ = try await client.completeSignIn(callback, for: request.pending)
        await expectRefusal(.alreadyUsed) {
            try await client.completeSignIn(callback, for: request.pending)
        }
        #expect(scenario.count("/token") == 1)
    }

    @Test("ARES-02: Callback fifty times at once")
    func ARES_02_callbackFiftyTimesAtOnce() async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        let request = try await client.beginSignIn()
        let callback = scenario.callback(request)
        let outcomes = await concurrently(50) { _ in
            try await client.completeSignIn(callback, for: request.pending)
        }
        #expect(outcomes.filter { (try? $0.get()) != nil }.count == 1)
        #expect(scenario.count("/token") == 1)
    }

    /// The state of the browser that began; a callback with that of another attempt is not its response.
    @Test("ARES-03: Callback of another browser")
    func ARES_03_callbackOfAnotherBrowser() async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        let attackers = try await client.beginSignIn()
        let victims = try await client.beginSignIn()
        await expectRefusal(.stateMismatch) {
            try await client.completeSignIn(scenario.callback(attackers), for: victims.pending)
        }
        #expect(scenario.count("/token") == 0)
        _ = try await client.completeSignIn(scenario.callback(victims), for: victims.pending)
    }

    @Test("ARES-04: State is compared")
    func ARES_04_stateIsCompared() async throws {
        try await refuse(.callback, .stateMismatch) { $0.callback[1].value = String(repeating: "A", count: 43) }
    }

    @Test("ARES-05: Issuer wrong")
    func ARES_05_issuerWrong() async throws {
        let wrong = [
            "https://evil.example", "", "https://id.acme.example/", "https://ID.acme.example", "id.acme.example",
            "null",
        ]
        try await refuse(.callback, .issuerMismatch, each: wrong) { $0.callback[2].value = $1 }
        try await refuse(.callback, .issuerMismatch, each: wrong) { script, issuer in
            script.metadata["authorization_response_iss_parameter_supported"] = nil
            script.callback[2].value = issuer
        }
        try await refuse(.callback, .duplicateParameter) { $0.callback.append(("iss", Scenario.issuer)) }
    }

    @Test("ARES-06: Issuer missing")
    func ARES_06_issuerMissing() async throws {
        try await refuse(.callback, .missingIssuer) { $0.callback.remove(at: 2) }
        // Real servers leave it out of errors: the error still names them.
        try await refuse(.callback, .serverError) { $0.callback = [("error", "access_denied"), ("state", "{state}")] }
        try await accept {
            $0.metadata["authorization_response_iss_parameter_supported"] = nil
            $0.callback.remove(at: 2)
        } check: {
            #expect($1.tokens != nil)
        }
    }

    /// The code of an honest server never goes to the server of the attacker, who cannot name the other's issuer.
    @Test("ARES-07: Mix-up")
    func ARES_07_mixUp() async throws {
        let honest = Scenario()
        let client = try Flow.signIn.client(of: honest)
        let attackers = Scenario()
        let evil = try Flow.signIn.of(
            Flow.openID.replacingOccurrences(of: "id: acme\n", with: "id: evil\n")
                .replacingOccurrences(of: "https://id.acme.example", with: "https://evil.example")
                + "discovery: none\nendpoints: { authorization: https://evil.example/authorize, "
                + "token: https://evil.example/token, jwks: https://evil.example/jwks }\n"
        ).client(of: attackers)
        let atAttackers = try await evil.beginSignIn()
        let atHonest = try await client.beginSignIn()
        let callback = honest.callback(atHonest)
        let state = atAttackers.pending.id.reveal()
        let mixed = AuthorizationCallback(
            url: "\(Scenario.redirectURI)?code=honest-code&state=\(state)&iss=https%3A%2F%2Fid.acme.example")
        await expectRefusal(.issuerMismatch) {
            try await evil.completeSignIn(mixed, for: atAttackers.pending)
        }
        #expect(attackers.log.isEmpty)
        _ = try await client.completeSignIn(callback, for: atHonest.pending)
    }

    /// The same at a provider that is OAuth alone and names no issuer: what the honest server calls itself is elsewhere
    /// than where the browser was sent.
    @Test("ARES-23: Mix-up without an issuer")
    func ARES_23_mixUpWithoutAnIssuer() async throws {
        let evil = Flow.plain.replacingOccurrences(of: "id: acme\n", with: "id: evil\n")
            .replacingOccurrences(of: "https://id.acme.example", with: "https://evil.example")
        let attackers = Scenario()
        let client = try Flow.plainSignIn.of(evil).client(of: attackers)
        for issuer in ["https%3A%2F%2Fid.acme.example", "", "%20", "https%3A%2F%2Fevil.example.id.acme.example"] {
            let request = try await client.beginSignIn()
            let mixed = AuthorizationCallback(
                url: "\(Scenario.redirectURI)?code=honest-code&state=\(request.pending.id.reveal())&iss=\(issuer)")
            let error = await expectRefusal(.issuerMismatch) {
                try await client.completeSignIn(mixed, for: request.pending)
            }
            #expect(error?.descriptorKey == "issuer")
            #expect(attackers.log.isEmpty)
        }
        // The provider's own word for itself is no attack.
        try await accept(in: .plainSignIn) {
            $0.callback[2].value = "https://id.acme.example/oauth"
        } check: {
            #expect($1.tokens != nil)
        }
    }

    /// A server that looks at no proof key gives tokens for a stolen code: the nonce is of another sign-in.
    @Test("ARES-08: Stolen code")
    func ARES_08_stolenCode() async throws {
        try await refuse(.idToken, .nonceMismatch) { $0.idToken.claims["nonce"] = "nonce-of-the-victims-sign-in" }
    }

    @Test(
        "ARES-09: Parameter twice",
        arguments: ["code", "state", "iss", "error", "error_description", "access_token", "id_token", "response"])
    func ARES_09_parameterTwice(name: String) async throws {
        try await refuse(.callback, .duplicateParameter) { script in
            if let sent = script.callback.first(where: { $0.name == name }) {
                script.callback.append(sent)
            } else {
                script.callback += [(name, "a"), (name, "b")]
            }
        }
    }

    @Test("ARES-10: Encodings that parsers read differently")
    func ARES_10_encodingsThatParsersReadDifferently() async throws {
        try await refuse(
            .callback, .malformedCallback,
            each: [
                "code=%zz&state={state}", "code=%F&state={state}", "code=%FF%FE&state={state}", "code=%&state={state}",
            ]
        ) { $0.rawCallback = $1 }
        try await refuse(
            .callback, .malformedCallback, each: ["code=a%00b", "code=a%0Ab", "code=%C3%A9"]
        ) { $0.rawCallback = "\($1)&state={state}&iss=https%3A%2F%2Fid.acme.example" }
        // A semicolon separates nothing.
        try await refuse(.callback, .missingState) { $0.rawCallback = "code={code};state={state}" }
        try await refuse(.callback, .missingState) { $0.rawCallback = "code={code}#&state={state}" }
        try await accept {
            $0.rawCallback = "&&=&=x&code={code}&state={state}&iss=https%3a%2f%2fid.acme.example&"
        } check: {
            #expect($1.tokens != nil)
        }
    }

    @Test("ARES-11: Code and error or neither")
    func ARES_11_codeAndErrorOrNeither() async throws {
        try await refuse(.callback, .serverError) { $0.callback.append(("error", "access_denied")) }
        try await refuse(.callback, .missingCode) { $0.callback.remove(at: 0) }
        try await refuse(.callback, .missingCode) { $0.callback[0].value = "" }
    }

    @Test("ARES-12: Error without the state")
    func ARES_12_errorWithoutTheState() async throws {
        try await refuse(.callback, .missingState) { $0.callback = [("error", "access_denied")] }
        try await refuse(.callback, .stateMismatch) { $0.callback = [("error", "access_denied"), ("state", "x")] }
        try await refuse(.callback, .issuerMismatch) {
            $0.callback = [("error", "access_denied"), ("state", "{state}"), ("iss", "https://evil.example")]
        }
    }

    @Test("ARES-12: Error whose words attack")
    func ARES_12_errorWhoseWordsAttack() async throws {
        let words = [
            "<script>alert(1)</script>", String(repeating: "x", count: 1 << 20), "a\r\nlevel=info msg=forged",
            "\u{1B}[2J\u{1B}]0;x\u{07}", "\u{202E}evil", "{state}",
        ]
        try await refuse(.callback, .serverError, each: words) { script, words in
            script.callback = [
                ("error", words), ("error_description", words), ("error_uri", words), ("state", "{state}"),
            ]
        }
        let scenario = Scenario()
        let error = await expectRefusal(.serverError) {
            try await Flow.signIn.run(scenario) { $0.callback = [("error", words[1]), ("state", "{state}")] }
        }
        #expect("\(try #require(error))".utf8.count < 1000)
    }

    @Test("ARES-13: Parameters that nobody knows")
    func ARES_13_parametersThatNobodyKnows() async throws {
        try await accept {
            $0.callback += [("session_state", "x"), ("scope", "openid"), ("client_id", "other"), ("prompt", "none")]
        } check: {
            #expect($1.tokens != nil)
        }
    }

    @Test("ARES-14: Token in the front-channel", arguments: ["access_token", "id_token", "refresh_token"])
    func ARES_14_tokenInTheFrontChannel(name: String) async throws {
        try await refuse(.callback, .unexpectedToken) { $0.callback.append((name, "x")) }
    }

    @Test("ARES-15: POST that was not asked for")
    func ARES_15_postThatWasNotAskedFor() async throws {
        let flow = Flow { scenario, outcome in
            let request = try await outcome.client.beginSignIn()
            let query = scenario.callbackQuery(request)
            outcome.session = try await outcome.client.completeSignIn(
                AuthorizationCallback(postedTo: Scenario.redirectURI, form: query), for: request.pending)
        }
        let scenario = Scenario()
        await expectRefusal(.malformedCallback) { try await flow.run(scenario) { _ in } }
        #expect(scenario.count("/token") == 0)
        try await control(flow.adding("authorization: { response_mode: form_post }"))
    }

    @Test("ARES-15: Query and body are not one")
    func ARES_15_queryAndBodyAreNotOne() async throws {
        let descriptor = Flow.openID + "authorization: { response_mode: form_post }\n"
        let scenario = Scenario()
        let client = try Flow.signIn.of(descriptor).client(of: scenario)
        let request = try await client.beginSignIn()
        let form = scenario.callbackQuery(request)
        await expectRefusal(.duplicateParameter) {
            try await client.completeSignIn(
                AuthorizationCallback(postedTo: Scenario.redirectURI + "?code=attackers", form: form),
                for: request.pending)
        }
        #expect(scenario.count("/token") == 0)
    }

    @Test("ARES-17: Long and odd codes")
    func ARES_17_longAndOddCodes() async throws {
        let long = String(repeating: "c", count: 4096)
        try await accept(each: [long, "a+b/c=d%e&f", "4/0Ad~._-", "a b"]) {
            $0.callback[0].value = $1
        } check: {
            #expect($0.requests(to: "/token").first?.form["code"] == $2)
        }
        try await refuse(.callback, .malformedCallback) {
            $0.callback[0].value = String(repeating: "c", count: 1 << 20)
        }
    }

    @Test("ARES-18: Too late")
    func ARES_18_tooLate() async throws {
        let flow = { (seconds: Int) in
            Flow { scenario, outcome in
                let request = try await outcome.client.beginSignIn()
                scenario.clock.advance(by: .seconds(seconds))
                outcome.session = try await outcome.client.completeSignIn(
                    scenario.callback(request), for: request.pending)
            }
        }
        try await control(flow(599))
        let scenario = Scenario()
        let error = await expectRefusal(.expiredAttempt) { try await flow(600).run(scenario) { _ in } }
        #expect(error?.disposition == .signInAgain)
        #expect(scenario.count("/token") == 0)
    }

    @Test("ARES-21: Session state")
    func ARES_21_sessionState() async throws {
        try await accept {
            $0.callback.append(("session_state", "abc.def"))
        } check: {
            #expect($1.tokens != nil)
        }
    }

    @Test("ARES-07: Callback at another address")
    func ARES_07_callbackAtAnotherAddress() async throws {
        try await refuse(
            .callback, .redirectMismatch,
            each: ["com.example.app:/other", "https://app.example/callback", "com.example.app:/callback/x"]
        ) { $0.callbackLocation = $1 }
    }
}
