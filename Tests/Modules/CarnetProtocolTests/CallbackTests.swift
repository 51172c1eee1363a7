import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import Foundation
import Testing

@Suite("Callback state")
struct CallbackStateTests {
    private let attempt: Attempt

    init() throws { attempt = try Attempt() }

    @Test("Response to this attempt is accepted")
    func responseToThisAttemptIsAccepted() throws {
        try attempt.validate("state=\(attempt.state)&code=c")
        #expect(attempt.pending.matches(attempt.callback("state=\(attempt.state)&code=c")))
    }

    // ARES-01, ARES-04.
    @Test("Wrong state is rejected")
    func wrongStateIsRefused() {
        let state = attempt.state
        let wrong = [
            "x", String(state.dropLast()), state + "x", state.uppercased(), state.lowercased(), "%20" + state,
            state + "%0A",
        ]
        for value in wrong {
            expectError(.callback, .stateMismatch) { try attempt.validate("state=\(value)&code=c") }
            #expect(!attempt.pending.matches(attempt.callback("state=\(value)&code=c")))
        }
    }

    // ARES-01: nothing equals nothing.
    @Test(
        "Missing or empty state is rejected",
        arguments: ["code=c", "state=&code=c", "state&code=c", "STATE=x&code=c", "state%5B%5D=x&code=c"])
    func missingOrEmptyStateIsRefused(_ query: String) {
        expectError(.callback, .missingState) { try attempt.validate(query) }
        #expect(!attempt.pending.matches(attempt.callback(query)))
    }

    // ARES-09.
    @Test("Repeated state is rejected whichever comes first")
    func repeatedStateIsRefusedWhicheverComesFirst() {
        for query in ["state=\(attempt.state)&state=x&code=c", "state=x&state=\(attempt.state)&code=c"] {
            expectError(.callback, .duplicateParameter) { try attempt.validate(query) }
            #expect(!attempt.pending.matches(attempt.callback(query)))
        }
        expectError(.callback, .duplicateParameter) {
            try attempt.validate("state=\(attempt.state)&state=\(attempt.state)&code=c")
        }
    }

    // ARES-12: an error is believed only with the state.
    @Test("State is checked before an error is believed")
    func stateIsCheckedBeforeAnErrorIsBelieved() {
        let error = expectError(.callback, .stateMismatch) { try attempt.validate("state=x&error=access_denied") }
        #expect(error?.server == nil)
        expectError(.callback, .missingState) { try attempt.validate("error=access_denied") }
    }
}

@Suite("Callback parameter")
struct CallbackParameterTests {
    private let attempt: Attempt

    init() throws { attempt = try Attempt() }

    // ARES-09.
    @Test(
        "Repeated parameter is rejected",
        arguments: ["code", "error", "error_description", "error_uri", "iss", "id_token", "response"])
    func repeatedParameterIsRefused(_ name: String) {
        expectError(.callback, .duplicateParameter) {
            try attempt.validate(
                "state=\(attempt.state)&code=c&\(name)=a&\(name)=a".replacing("&code=c&code", with: "&code"))
        }
    }

    // ARES-11.
    @Test("Error wins over code")
    func errorWinsOverCode() {
        let error = expectError(.callback, .serverError) {
            try attempt.validate("state=\(attempt.state)&code=c&error=access_denied")
        }
        #expect(error?.server?.code == "access_denied")
        #expect(error?.disposition == .signInAgain)
    }

    // ARES-11.
    @Test("Neither code nor error is rejected", arguments: ["", "&code=", "&code", "&foo=bar"])
    func neitherCodeNorErrorIsRefused(_ rest: String) {
        expectError(.callback, .missingCode) { try attempt.validate("state=\(attempt.state)\(rest)") }
    }

    // A bare `error` is an error.
    @Test("Error without a value is an error", arguments: ["&error", "&error="])
    func errorWithoutAValueIsAnError(_ rest: String) {
        expectError(.callback, .serverError) { try attempt.validate("state=\(attempt.state)\(rest)") }
    }

    // ARES-13.
    @Test("Unknown parameters are ignored")
    func unknownParametersAreIgnored() throws {
        try attempt.validate("state=\(attempt.state)&code=c&session_state=1&scope=a+b&client_id=client&session_state=2")
    }

    // ARES-10.
    @Test("Badly encoded parameters are rejected", arguments: ["&code=%zz", "&code=%00", "&x=%FF"])
    func badlyEncodedParametersAreRefused(_ rest: String) {
        let query = "state=\(attempt.state)\(rest)"
        expectError(.callback, .malformedCallback) { try attempt.validate(query) }
        #expect(!attempt.pending.matches(attempt.callback(query)))
    }

    // ARES-17.
    @Test("Long code is accepted and an endless one is not")
    func longCodeIsAcceptedAndAnEndlessOneIsNot() throws {
        try attempt.validate("state=\(attempt.state)&code=" + String(repeating: "x", count: 4096))
        expectError(.callback, .malformedCallback) {
            try attempt.validate("state=\(attempt.state)&code=" + String(repeating: "x", count: 100_000))
        }
    }

    // ARES-17: VSCHAR (RFC 6749, appendix A.11).
    @Test("Code with other characters is rejected", arguments: ["%0A", "%C3%A9", "%7F"])
    func codeWithOtherCharactersIsRefused(_ code: String) {
        expectError(.callback, .malformedCallback) { try attempt.validate("state=\(attempt.state)&code=\(code)") }
    }

    @Test("Parameters in the fragment are not read")
    func parametersInTheFragmentAreNotRead() {
        let url = "\(Attempt.redirectURI)#state=\(attempt.state)&code=c"
        expectError(.callback, .missingState) {
            try attempt.pending.validate(
                AuthorizationCallback(url: url), from: attempt.provider.discovered, now: Attempt.now)
        }
    }

    @Test("Fragment after the query is no part of the code")
    func fragmentAfterTheQueryIsNoPartOfTheCode() throws {
        let validated = try attempt.validate("state=\(attempt.state)&code=c#_=_")
        let request = try TokenRequest.authorizationCode(validated, at: attempt.provider, as: attempt.registration)
        #expect(request.form["code"] == "c")
    }
}

@Suite("Callback issuer")
struct CallbackIssuerTests {
    private let attempt: Attempt

    init() throws { attempt = try Attempt() }

    @Test("Issuer of the provider is accepted")
    func issuerOfTheProviderIsAccepted() throws {
        try attempt.validate("state=\(attempt.state)&code=c&iss=https%3A%2F%2Fid.acme.example")
    }

    // ARES-05, ARES-07, INT-07.
    @Test(
        "Another issuer is rejected",
        arguments: [
            "https://evil.example", "https://id.acme.example/", "https://ID.acme.example", "http://id.acme.example", "",
            "https://id.acme.example.evil.example", "https://id.acme.example%20",
        ])
    func anotherIssuerIsRefused(_ issuer: String) {
        expectError(.callback, .issuerMismatch) { try attempt.validate("state=\(attempt.state)&code=c&iss=\(issuer)") }
    }

    // ARES-23: a provider without an issuer is known by where the browser was sent.
    @Test("Issuer of a provider without one must be where the browser was")
    func issuerOfAProviderWithoutOneMustBeWhereTheBrowserWas() throws {
        let plain = try Attempt(Fixture.plain)
        try plain.validate("state=\(plain.state)&code=c")
        try plain.validate("state=\(plain.state)&code=c&iss=https%3A%2F%2Fplain.example%2Foauth")
        for other in [
            "https://evil.example", "https://plain.example.evil.example", "http://plain.example", "", "plain.example",
        ] {
            let error = expectError(.callback, .issuerMismatch) {
                try plain.validate("state=\(plain.state)&code=c&iss=\(other)")
            }
            #expect(error?.descriptorKey == "issuer")
            #expect(error?.hint?.contains("issuer:") == true)
        }
        // What the descriptor names is compared whole.
        let named = try Attempt(Fixture.plain + "issuer: https://plain.example/a\ndiscovery: none\n")
        try named.validate("state=\(named.state)&code=c&iss=https://plain.example/a")
        expectError(.callback, .issuerMismatch) {
            try named.validate("state=\(named.state)&code=c&iss=https://plain.example/b")
        }
    }

    // ARES-05: letters that Unicode holds equal are not equal here.
    @Test("Issuer is compared by bytes")
    func issuerIsComparedByBytes() throws {
        let kelvin = try Attempt(
            Fixture.openID.replacing("issuer: https://id.acme.example", with: "issuer: https://id.acme.example/K"))
        try kelvin.validate("state=\(kelvin.state)&code=c&iss=https://id.acme.example/K")
        expectError(.callback, .issuerMismatch) {
            try kelvin.validate("state=\(kelvin.state)&code=c&iss=https://id.acme.example/%E2%84%AA")
        }
    }

    // ARES-06.
    @Test("Missing issuer is rejected where it is required")
    func missingIssuerIsRefusedWhereItIsDemanded() throws {
        let strict = try Attempt(Fixture.openID + "callback: { iss: required }\n")
        let error = expectError(.callback, .missingIssuer) { try strict.validate("state=\(strict.state)&code=c") }
        #expect(error?.descriptorKey == "callback.iss")
        try strict.validate("state=\(strict.state)&code=c&iss=https://id.acme.example")
        try attempt.validate("state=\(attempt.state)&code=c")
    }

    // ARES-06, INT-06: real servers leave it out of errors.
    @Test("Error without issuer is still reported")
    func errorWithoutIssuerIsStillReported() throws {
        let strict = try Attempt(Fixture.openID + "callback: { iss: required }\n")
        expectError(.callback, .serverError) { try strict.validate("state=\(strict.state)&error=login_required") }
        expectError(.callback, .issuerMismatch) {
            try strict.validate("state=\(strict.state)&error=login_required&iss=https://evil.example")
        }
    }

    // ARES-07, SESS-07.
    @Test("Attempt at another provider is rejected")
    func attemptAtAnotherProviderIsRefused() throws {
        let other = try Attempt(Fixture.openID.replacing("id: acme", with: "id: other"))
        expectError(.callback, .providerMismatch) {
            try attempt.pending.validate(
                attempt.callback("state=\(attempt.state)&code=c"), from: other.provider.discovered, now: Attempt.now)
        }
    }

    // SESS-07: the same descriptor with another tenant is another provider.
    @Test("Attempt at another tenant is rejected")
    func attemptAtAnotherTenantIsRefused() throws {
        let yaml =
            Fixture.openID.replacing("https://id.acme.example/token", with: "https://{tenant}.acme.example/token")
            + "inputs: { tenant: { example: one } }\n"
        let registration = ClientRegistration(clientID: "client", redirectURI: Attempt.redirectURI)
        let one = try Fixture.provider(yaml, inputs: ["tenant": "one"])
        let pending = try AuthorizationRequest(
            to: one.discovered, as: registration, random: SystemBytes(), now: Attempt.now
        )
        .pending
        let callback = AuthorizationCallback(url: "\(Attempt.redirectURI)?code=c&state=\(pending.id.reveal())")
        _ = try pending.validate(callback, from: one.discovered, now: Attempt.now)
        expectError(.callback, .providerMismatch) {
            try pending.validate(
                callback, from: try Fixture.provider(yaml, inputs: ["tenant": "two"]).discovered, now: Attempt.now)
        }
    }
}

@Suite("Callback address")
struct CallbackAddressTests {
    @Test(
        "Callback to another address is rejected",
        arguments: [
            "com.example.app:/other", "com.example.app:/callback/more", "com.example.other:/callback",
            "com.example.app://callback", "https://app.example/callback",
        ])
    func callbackToAnotherAddressIsRefused(_ location: String) throws {
        let attempt = try Attempt()
        expectError(.callback, .redirectMismatch) {
            try attempt.validate("state=\(attempt.state)&code=c", at: location)
        }
        try attempt.validate("state=\(attempt.state)&code=c", at: Attempt.redirectURI)
    }

    // What a browser makes of an address before it comes back (RFC 3986, sections 6.2.2.1 and 6.2.3).
    @Test(
        "Case of scheme and host and the default port do not matter",
        arguments: zip(
            ["com.Example.App:/callback", "https://App.Example/callback", "https://app.example:443/callback"],
            ["com.example.app:/callback", "https://app.example/callback", "https://app.example/callback"]
        ))
    func caseOfSchemeAndHostAndTheDefaultPortDoNotMatter(_ registered: String, _ arrived: String) throws {
        let yaml = Fixture.openID.replacing(
            #"["com.example.app:/{path}", "#, with: #"["{scheme}:/{path}", "https://{host}/{path}", "#)
        let attempt = try Attempt(yaml, redirectURI: registered)
        try attempt.validate("state=\(attempt.state)&code=c", at: arrived)
    }

    @Test(
        "Path and port matter",
        arguments: zip(
            ["https://app.example/callback", "http://127.0.0.1:8000/callback", "https://app.example/callback"],
            ["https://app.example/Callback", "http://127.0.0.1:8001/callback", "https://app.example:444/callback"]
        ))
    func pathAndPortMatter(_ registered: String, _ arrived: String) throws {
        let attempt = try Attempt(redirectURI: registered)
        expectError(.callback, .redirectMismatch) {
            try attempt.validate("state=\(attempt.state)&code=c", at: arrived)
        }
    }

    @Test("Empty path and slash are one address")
    func emptyPathAndSlashAreOneAddress() throws {
        let attempt = try Attempt(
            Fixture.openID.replacing("https://app.example/{path}", with: "https://app.example"),
            redirectURI: "https://app.example"
        )
        try attempt.validate("state=\(attempt.state)&code=c", at: "https://app.example/")
    }
}

@Suite("Callback error")
struct CallbackErrorTests {
    private let attempt: Attempt

    init() throws { attempt = try Attempt() }

    private func refusal(_ rest: String) -> OAuthError? {
        expectError(.callback, .serverError) { try attempt.validate("state=\(attempt.state)&\(rest)") }
    }

    @Test("Server's words are carried")
    func serversWordsAreCarried() {
        let error = refusal("error=invalid_scope&error_description=no+such+scope&error_uri=https://x.example/e")
        #expect(error?.server?.code == "invalid_scope")
        #expect(error?.server?.message == "no such scope")
        #expect(error?.server?.uri == "https://x.example/e")
        #expect(error?.hint?.contains("scopes") == true)
    }

    // ARES-12, LOG-02.
    @Test("Control characters become spaces")
    func controlCharactersBecomeSpaces() throws {
        let error = try #require(
            refusal("error=x%1B%5B31m&error_description=a%0D%0Ab%1B%5Bc%C2%85%E2%80%AE%E2%80%A8d%7F"))
        let text = "\(error)"
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0.value != 0x85 })
        #expect(!text.contains("\u{202E}"))
        #expect(!text.contains("\u{2028}"))
        #expect(error.server?.message == "a  b [c   d ")
    }

    // ARES-12.
    @Test("Endless description is cut")
    func endlessDescriptionIsCut() throws {
        let error = try #require(refusal("error=x&error_description=" + String(repeating: "y", count: 1 << 20)))
        #expect("\(error)".utf8.count < 2500)
        let marks = try #require(refusal("error=x&error_description=" + String(repeating: "e%CC%81", count: 1 << 17)))
        #expect("\(marks)".utf8.count < 5000)
        // COST-03: a row of them is not even compared.
        expectError(.callback, .serverError) {
            try attempt.validate(
                "state=\(attempt.state)&error=x&error_description=e" + String(repeating: "%CC%81", count: 1 << 18))
        }
    }

    // ARES-12: markup is text; nothing follows `error_uri`.
    @Test("Markup stays text")
    func markupStaysText() {
        #expect(refusal("error=%3Cscript%3E")?.server?.code == "<script>")
    }

    // LOG-01: what was sent does not come back by way of an error.
    @Test("Echoed secrets are removed")
    func echoedSecretsAreTakenOut() throws {
        let state = attempt.state
        let nonce = try #require(attempt.sent["nonce"])
        for echo in [
            "state+\(state)+and+\(nonce)", "%22\(state)%22", "\(state)%CC%81",
            "x\(percentEncoded(nonce))y\(nonce)%CC%81",
        ] {
            let error = try #require(refusal("error=\(echo)&error_description=\(echo)&error_uri=\(echo)"))
            for text in ["\(error)", "\(error.server?.uri ?? "")"] {
                #expect(!text.contains(state.prefix(8)))
                #expect(!text.contains(nonce.prefix(8)))
                #expect(text.unicodeScalars.contains("[redacted]".unicodeScalars))
            }
        }
    }

    @Test("Callback does not show its parameters")
    func callbackDoesNotShowItsParameters() {
        let callback = attempt.callback("state=\(attempt.state)&code=s3cret-code")
        for text in ["\(callback)", String(reflecting: callback), dumped(callback)] {
            #expect(!text.contains("s3cret"))
            #expect(!text.contains(attempt.state))
        }
    }
}

/// What `dump` writes.
func dumped(_ value: some Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
}
