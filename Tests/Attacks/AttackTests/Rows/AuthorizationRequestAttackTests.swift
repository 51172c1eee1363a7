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
import Testing

@Suite("AREQ: the authorization request", .searchedForSecrets)
struct AuthorizationRequestAttackTests {
    /// The parameters of the URL that the browser is sent to.
    private func sent(_ request: AuthorizationRequest) -> [String: String] {
        let query = request.url.drop { $0 != "?" }.dropFirst()
        let pairs = PercentEncoding.decodeForm(String(query)) ?? []
        return Dictionary(pairs.map { ($0.name, $0.value) }) { $0 + "|" + $1 }
    }

    @Test("AREQ-01: States are unguessable")
    func AREQ_01_statesAreUnguessable() async throws {
        let client = try Flow.signIn.client(of: Scenario())
        var states: Set<String> = []
        for _ in 0..<2000 {
            let state = try #require(sent(try await client.beginSignIn())["state"])
            #expect(state.utf8.count == 43)
            states.insert(state)
        }
        #expect(states.count == 2000)
    }

    /// A sign-in that was begun at one provider does not end at another, though state and client id are the same.
    @Test("AREQ-01: State of another provider")
    func AREQ_01_stateOfAnotherProvider() async throws {
        let (here, there) = (Scenario(), Scenario())
        let client = try Flow.signIn.client(of: here)
        let other = try Flow.signIn.of(
            Flow.openID.replacingOccurrences(of: "id: acme", with: "id: other")
        ).client(of: there)
        let request = try await client.beginSignIn()
        let callback = here.callback(request)
        await expectRefusal(.providerMismatch) {
            try await other.completeSignIn(callback, for: request.pending)
        }
        #expect(there.count("/token") == 0)
        _ = try await client.completeSignIn(callback, for: request.pending)
    }

    @Test("AREQ-02: Nonces are unguessable")
    func AREQ_02_noncesAreUnguessable() async throws {
        let client = try Flow.signIn.client(of: Scenario())
        var nonces: Set<String> = []
        for _ in 0..<200 {
            let nonce = try #require(sent(try await client.beginSignIn())["nonce"])
            #expect(nonce.utf8.count == 43)
            nonces.insert(nonce)
        }
        #expect(nonces.count == 200)
    }

    @Test("AREQ-03: PKCE is sent and proved")
    func AREQ_03_proofKeyIsSentAndProved() async throws {
        try await accept { scenario, outcome in
            let parameters = sent(try #require(outcome.request))
            let verifier = try #require(scenario.requests(to: "/token").first?.form["code_verifier"])
            #expect(verifier.utf8.count == 43)
            #expect(
                verifier.utf8.allSatisfy { UInt8(ascii: "-") == $0 || UInt8(ascii: "_") == $0 || isAlphanumeric($0) })
            #expect(parameters["code_challenge_method"] == "S256")
            #expect(parameters["code_challenge"] == base64URL(Data(SHA256.hash(data: Data(verifier.utf8)))))
        }
    }

    private func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// A server that refuses the verifier gets no second request without one.
    @Test("AREQ-04: No retry without the verifier")
    func AREQ_04_noRetryWithoutTheVerifier() async throws {
        try await refuse(.tokenRequest, .serverError) { script in
            script.metadata["code_challenge_methods_supported"] = ["plain"]
            script.token = .error("invalid_request")
        }
    }

    @Test("AREQ-05: Redirect URI comes from the registration")
    func AREQ_05_redirectURIComesFromTheRegistration() async throws {
        try await accept { scenario, outcome in
            let request = try #require(outcome.request)
            #expect(sent(request)["redirect_uri"] == Scenario.redirectURI)
            #expect(scenario.requests(to: "/token").first?.form["redirect_uri"] == Scenario.redirectURI)
        }
    }

    @Test("AREQ-06: Values are encoded")
    func AREQ_06_valuesAreEncoded() async throws {
        for value in ["a+b", "a&b=c", "100%", "%2B", "a b", "é", "日本", "a;b", "a/b?c#d", "\"q\"", "a\\b"] {
            try await accept(in: .signIn.with { $0.loginHint = value }) { _, outcome in
                let request = try #require(outcome.request)
                #expect(sent(request)["login_hint"] == value)
                #expect(sent(request)["state"] == request.pending.id.reveal())
            }
        }
        for scope in ["a b", "a\"b", "é", ""] {
            let client = try Flow.signIn.client(of: Scenario())
            await expectRefusal(.badRegistration) {
                try await client.beginSignIn(AuthorizationOptions(scopes: ["openid", scope]))
            }
        }
    }

    @Test(
        "AREQ-07: Parameter of the protocol's own",
        arguments: [
            "state", "redirect_uri", "code_challenge", "code_challenge_method", "nonce", "client_id", "response_type",
            "scope", "request", "request_uri",
        ])
    func AREQ_07_parameterOfTheProtocolsOwn(name: String) async throws {
        let client = try Flow.signIn.client(of: Scenario())
        _ = try await client.beginSignIn(AuthorizationOptions(parameters: ["audience": "x"]))
        await expectRefusal(.reservedParameter) {
            try await client.beginSignIn(AuthorizationOptions(parameters: [name: "x"]))
        }
    }

    @Test(
        "AREQ-09: Implicit and hybrid flows",
        arguments: ["token", "id_token", "code token", "code id_token", "id_token token"])
    func AREQ_09_implicitAndHybridFlows(type: String) async throws {
        let client = try Flow.signIn.adding("authorization: { response_type: \(type) }").client(of: Scenario())
        await expectRefusal(.unsupported) { try await client.beginSignIn() }
        try await control(.signIn)
    }

    @Test("AREQ-10: Prompt none beside another")
    func AREQ_10_promptNoneBesideAnother() async throws {
        let client = try Flow.signIn.client(of: Scenario())
        _ = try await client.beginSignIn(AuthorizationOptions(prompt: [.none]))
        // The server decides whether a page is needed, and returns `login_required`.
        let recent = AuthorizationOptions(authentication: .init(maxAge: 0), prompt: [.none])
        let parameters = sent(try await client.beginSignIn(recent))
        #expect(parameters["max_age"] == "0" && parameters["prompt"] == "none")
        await expectRefusal(.badRegistration) {
            try await client.beginSignIn(AuthorizationOptions(prompt: [.none, .login]))
        }
    }

    @Test(
        "AREQ-10: Nobody is there to response",
        arguments: ["login_required", "interaction_required", "consent_required", "account_selection_required"])
    func AREQ_10_nobodyIsThereToRespond(code: String) async throws {
        try await refuse(.callback, .serverError, in: .signIn.with { $0.prompt = [.none] }) {
            $0.callback[0] = ("error", code)
        }
    }

    @Test("AREQ-11: Offline access asks for consent")
    func AREQ_11_offlineAccessAsksForConsent() async throws {
        let flow = Flow.signIn.of(
            Flow.openID.replacingOccurrences(of: "scopes: {", with: "scopes: { offline: [offline_access],")
                + "authorization: { offline_parameters: { prompt: consent } }\n")
        try await accept(in: flow) { _, outcome in
            let parameters = sent(try #require(outcome.request))
            #expect(parameters["prompt"] == "consent")
            #expect(parameters["scope"]?.hasSuffix("offline_access") == true)
        }
    }

    @Test("AREQ-15: Typed parameters")
    func AREQ_15_typedParameters() async throws {
        var claims = JSONObject()
        claims["id_token"] = ["auth_time": ["essential": true]]
        let options: @Sendable (inout AuthorizationOptions) -> Void = { [claims] in
            $0.access = .init(claims: claims)
            $0.authentication = .init(acrValues: ["urn:a", "urn:b"], maxAge: 300)
            $0.uiLocales = ["de-AT", "en"]
        }
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        var wanted = AuthorizationOptions()
        options(&wanted)
        let parameters = sent(try await client.beginSignIn(wanted))
        #expect(parameters["claims"] == #"{"id_token":{"auth_time":{"essential":true}}}"#)
        #expect(parameters["max_age"] == "300")
        #expect(parameters["acr_values"] == "urn:a urn:b")
        #expect(parameters["ui_locales"] == "de-AT en")
        wanted.authentication = .init(acrValues: ["a b"], maxAge: 300)
        await expectRefusal(.badRegistration) { try await client.beginSignIn(wanted) }
        wanted.authentication = .init(maxAge: 300)
        wanted.authentication = .init(maxAge: -1)
        await expectRefusal(.badRegistration) { try await client.beginSignIn(wanted) }
    }

    @Test("AREQ-16: Flood of sign-ins")
    func AREQ_16_floodOfSignIns() async throws {
        let scenario = Scenario()
        let store = MemoryPendingStore(limit: 1000)
        let client = try Flow.signIn.client(of: scenario)
        let first = try await client.beginSignIn().pending
        var last = first
        await store.save(first, now: scenario.clock.now)
        for _ in 0..<3000 {
            scenario.clock.advance(by: .milliseconds(1))
            last = try await client.beginSignIn().pending
            await store.save(last, now: scenario.clock.now)
        }
        #expect(await store.take(first.id, now: scenario.clock.now) == nil)
        #expect(await store.take(last.id, now: scenario.clock.now) == last)
    }
}
