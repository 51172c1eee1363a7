// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("DISC: discovery and metadata", .searchedForSecrets)
struct DiscoveryAttackTests {
    @Test("DISC-01: Issuer of another")
    func DISC_01_issuerOfAnother() async throws {
        try await refuse(
            .discovery, .issuerMismatch,
            each: [
                "https://evil.example", "https://id.acme.example:444", "https://ID.acme.example",
                "https://id.acme.example/x", "http://id.acme.example", "https://id.acme.example:443", "",
            ]
        ) { $0.metadata["issuer"] = .string($1) }
    }

    @Test("DISC-02: Slash at the end")
    func DISC_02_slashAtTheEnd() async throws {
        let realm = Flow.signIn.of(
            Flow.openID.replacingOccurrences(of: "issuer: https://id.acme.example", with: "issuer: \(Self.realm)"))
        try await refuse(.discovery, .issuerMismatch) { $0.metadata["issuer"] = "https://id.acme.example/" }
        let scenario = Scenario()
        await expectRefusal(.issuerMismatch) {
            try await realm.run(scenario) { script in
                script.elsewhere["\(Self.realm)/.well-known/openid-configuration"] = script.metadata
                script.elsewhere["\(Self.realm)/.well-known/openid-configuration"]?["issuer"] = .string(
                    Self.realm + "/")
            }
        }
    }

    private static let realm = "https://id.acme.example/realm"

    /// RFC 8414, section 3.1 inserts after the host what OpenID Connect appends.
    @Test("DISC-03: Each well known place")
    func DISC_03_eachWellKnownPlace() async throws {
        let descriptor = Flow.openID.replacingOccurrences(
            of: "issuer: https://id.acme.example", with: "issuer: \(Self.realm)")
        let places = [
            "\(Self.realm)/.well-known/openid-configuration",
            "https://id.acme.example/.well-known/oauth-authorization-server/realm",
            "https://id.acme.example/.well-known/openid-configuration/realm",
        ]
        for place in places {
            let scenario = Scenario()
            _ = try await Flow.signIn.of(descriptor).run(scenario) { script in
                var metadata = script.metadata
                metadata["issuer"] = .string(Self.realm)
                script.elsewhere[place] = metadata
                script.idToken.claims["iss"] = .string(Self.realm)
                script.callback[2].value = Self.realm
            }
            #expect(scenario.log.prefix(3).map(\.url).contains(place))
            #expect(
                scenario.log.filter { $0.url.contains("well-known") }.map(\.url) == Array(places.prefix { $0 != place })
                    + [place])
        }
    }

    @Test("DISC-04: Status other than 200")
    func DISC_04_statusOtherThan200() async throws {
        for (kind, statuses) in [
            (OAuthError.Kind.unexpectedStatus, [301, 302, 304, 307, 402, 418]),
            (.serverUnavailable, [500, 503]), (.tooManyRequests, [429]),
        ] {
            try await refuse(.discovery, kind, each: statuses) { $0.metadata.status = $1 }
        }
        try await refuse(.discovery, .unexpectedStatus, each: [400, 401, 403, 404, 410]) { $0.metadata.status = $1 }
        let scenario = Scenario()
        let error = await expectRefusal(.unexpectedStatus) {
            try await Flow.signIn.run(scenario) { $0.metadata.status = 307 }
        }
        #expect(error?.status == 307)
    }

    @Test("DISC-05: Body that is no object")
    func DISC_05_bodyThatIsNoObject() async throws {
        try await refuse(
            .discovery, .missingField, each: ["null", "[]", "\"x\"", "5", "true", "{}"]
        ) { $0.metadata = .text($1) }
        let issuer = #""issuer":"https://id.acme.example""#
        try await refuse(
            .discovery, .malformedBody,
            each: [
                "", "{", "{\(issuer)} x", "{'issuer':1}",
                #"{"issuer":"https://id.acme.example","issuer":"https://evil.example"}"#,
                String(repeating: "[", count: 100_000),
            ]
        ) { $0.metadata = .text($1) }
        try await refuse(.discovery, .malformedBody) { $0.metadata.bytes = [0x22, 0xFF, 0xFE, 0x22] }
    }

    @Test("DISC-06: Members of another type")
    func DISC_06_membersOfAnotherType() async throws {
        let endpoints = ["jwks_uri", "token_endpoint", "authorization_endpoint"].flatMap { name in
            ([5, [], true, [:], ["https://id.acme.example"]] as [JSONValue]).map { (name, $0) }
        }
        let members: [(String, JSONValue)] =
            [
                ("id_token_signing_alg_values_supported", "RS256"), ("id_token_signing_alg_values_supported", [5]),
                ("authorization_response_iss_parameter_supported", "yes"),
                ("authorization_response_iss_parameter_supported", ""),
                ("authorization_response_iss_parameter_supported", 1), ("token_endpoint_auth_methods_supported", [5]),
            ] + endpoints
        try await refuse(.discovery, .wrongFieldType, each: members) { $0.metadata[$1.0] = $1.1 }
        try await refuse(.discovery, .missingField, each: [5, [], nil] as [JSONValue]) { $0.metadata["issuer"] = $1 }
        try await refuse(.profile, .badDescriptor) { $0.metadata["userinfo_endpoint"] = false }
        try await accept(each: ["client_secret_basic"]) { $0.metadata["token_endpoint_auth_methods_supported"] = $1 }
        try await accept {
            $0.metadata["op_tos_uri"] = 5
            $0.metadata["grant_types_supported"] = "code"
            $0.metadata["id_token_signing_alg_values_supported"] = .null
            $0.metadata["revocation_endpoint"] = false
        } check: {
            #expect($1.profile?.subject == "user-1")
        }
    }

    @Test("DISC-07: Page in place of JSON")
    func DISC_07_pageInPlaceOfJSON() async throws {
        try await refuse(
            .discovery, .unexpectedContentType, each: ["text/html", "TEXT/HTML", "text/html; charset=utf-8"]
        ) { $0.metadata = .text("<html>", type: $1) }
        // A body that is no JSON is refused as any type.
        try await refuse(.discovery, .malformedBody, each: ["text/plain", "application/octet-stream"]) {
            $0.metadata = .text("<p>Welcome</p>", type: $1)
        }
        let page = ServerResponse.text("<p>Welcome to our network, guest 4711</p>", type: "text/html; charset=utf-8")
        let scenario = Scenario()
        let error = await expectRefusal(.unexpectedContentType) {
            try await Flow.signIn.run(scenario) { $0.metadata = page }
        }
        #expect("\(try #require(error))".contains("text/html"))
        #expect(!"\(try #require(error))".contains("4711"))
        let types = [
            "application/json; charset=utf-8", "APPLICATION/JSON", "text/plain", "application/octet-stream", "",
        ]
        let headers = types.map { [("Content-Type", $0)] } + [[]]
        try await accept(each: headers) { $0.metadata.headers = $1 }
    }

    @Test("DISC-08: Endpoint without TLS", arguments: ["authorization_endpoint", "token_endpoint", "jwks_uri"])
    func DISC_08_endpointWithoutTLS(name: String) async throws {
        try await refuse(.discovery, .badDescriptor) { $0.metadata[name] = "http://id.acme.example/x" }
    }

    /// What a sign-in does not need is refused where it is used: the request is never made.
    @Test("DISC-08: Other endpoint without TLS")
    func DISC_08_otherEndpointWithoutTLS() async throws {
        try await refuse(.profile, .badDescriptor) { $0.metadata["userinfo_endpoint"] = "http://id.acme.example/x" }
        let flow = Flow.signOut.served { $0.metadata["revocation_endpoint"] = "http://id.acme.example/x" }
        try await accept(in: flow) { scenario, outcome in
            #expect(outcome.signOut?.isRevoked == false)
            #expect(outcome.signOut?.failures.map(\.kind) == [.badDescriptor])
            #expect(scenario.log.allSatisfy { $0.url.hasPrefix("https://") })
        }
    }

    private static let commands = [
        "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "ftp://id.acme.example/x",
        "https://id.acme.example/\"; touch /tmp/x; \"", "https://id.acme.example/`touch`",
        "https://id.acme.example/\nx", "https://id.acme.example/|calc", "vscode://x",
    ]

    @Test("DISC-09: Endpoint that runs a command", arguments: ["authorization_endpoint", "token_endpoint", "jwks_uri"])
    func DISC_09_endpointThatRunsACommand(name: String) async throws {
        try await refuse(.discovery, .badDescriptor, each: Self.commands) { $0.metadata[name] = .string($1) }
    }

    /// The page that ends a session at the provider is opened in a browser.
    @Test("DISC-09: Sign-out page that runs a command", arguments: commands)
    func DISC_09_signOutPageThatRunsACommand(url: String) async throws {
        let flow = Flow(isSignedIn: true) { _, outcome in
            outcome.signOut = try await outcome.session?.signOut(.everywhere)
        }.served { $0.metadata["end_session_endpoint"] = .string(url) }
        try await accept(in: flow) { _, outcome in
            #expect(outcome.signOut?.endSessionURL == nil)
            #expect(outcome.signOut?.failures.map(\.kind) == [.badDescriptor])
        }
    }

    @Test("DISC-10: Endpoint with userinfo or fragment", arguments: ["authorization_endpoint", "jwks_uri"])
    func DISC_10_endpointWithUserinfoOrFragment(name: String) async throws {
        try await refuse(
            .discovery, .badDescriptor,
            each: [
                "https://id.acme.example@evil.example/authorize", "https://user:pw@id.acme.example/",
                "https://id.acme.example/authorize#x", "https:///authorize", "https://", "/authorize",
                "https://id.acme.example:0/", "https://id.acme.example:99999/", "https://id.acme.example\\@evil/",
                "https://id.acme.example:/x", "https:///path", "//id.acme.example/x", "https://é.example",
                "https://id.acme.example/a b", "https://id.acme.example/\\evil", "https://id.acme.example/\"",
                "https://id.acme.example/$(touch /tmp/pwned)",
            ]
        ) { $0.metadata[name] = .string($1) }
    }

    @Test("DISC-11: Endpoint that has a query")
    func DISC_11_endpointThatHasAQuery() async throws {
        try await accept {
            $0.metadata["authorization_endpoint"] = "https://id.acme.example/authorize?p=policy"
        } check: {
            #expect($1.request?.url.hasPrefix("https://id.acme.example/authorize?p=policy&response_type=code&") == true)
        }
        try await accept {
            $0.metadata["authorization_endpoint"] = "https://id.acme.example/authorize?p=policy&scope=openid%20all"
        } check: {
            let url = try #require($1.request?.url)
            #expect(url.contains("?p=policy&") && url.ranges(of: "scope=").count == 1, "\(url)")
            #expect(!url.contains("%20all"), "\(url)")
        }
        try await refuse(
            .authorization, .reservedParameter,
            each: ["client_id=evil", "state=x", "redirect%5Furi=https://evil.example"]
        ) { $0.metadata["authorization_endpoint"] = .string("https://id.acme.example/authorize?\($1)") }
    }

    /// The metadata may name another host; what it cannot do is to response for another issuer.
    @Test("DISC-12: Endpoints of another server")
    func DISC_12_endpointsOfAnotherServer() async throws {
        let honest = Flow.signIn.adding("endpoints: { token: https://id.acme.example/token }")
        try await accept(in: honest) {
            $0.metadata["token_endpoint"] = "https://evil.example/token"
        } check: {
            #expect($0.count("/token") == 1)
            #expect($0.log.allSatisfy { !$0.url.hasPrefix("https://evil.example") })
            #expect($1.tokens != nil)
        }
        try await refuse(.callback, .issuerMismatch) { script in
            script.metadata["token_endpoint"] = "https://evil.example/token"
            script.callback[2].value = "https://evil.example"
        }
    }

    @Test("DISC-14: Redirect", arguments: [301, 302, 303, 307, 308])
    func DISC_14_redirect(status: Int) async throws {
        for location in ["https://evil.example/", "https://id.acme.example/other", "http://id.acme.example/"] {
            // A document of the same origin is compared (INT-35).
            try await refuse(.discovery, .unexpectedStatus, mayRequest: ["/other"]) { script in
                script.metadata.status = status
                script.metadata.headers.append(("Location", location))
            }
        }
        try await refuse(.keys, .unexpectedStatus) { script in
            script.keys.status = status
            script.keys.headers.append(("Location", "https://evil.example/jwks"))
        }
    }

    @Test("DISC-16: A thousand sign-ins ask once")
    func DISC_16_aThousandSignInsAskOnce() async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        for _ in 0..<1000 { _ = try await client.beginSignIn() }
        #expect(scenario.count("/.well-known/openid-configuration") == 1)
    }

    @Test("DISC-16: Refresh that fails keeps the old copy")
    func DISC_16_refreshThatFailsKeepsTheOldCopy() async throws {
        let refreshes: [@Sendable (inout Script) -> Void] = [
            { $0.metadata.status = 500 }, { $0.metadata["issuer"] = "https://evil.example" },
            { $0.metadata = .fails(.timeout) },
        ]
        for refresh in refreshes {
            let scenario = Scenario()
            let client = try Flow.signIn.client(of: scenario)
            _ = try await client.beginSignIn()
            scenario.change(refresh)
            scenario.change { $0.metadata["authorization_endpoint"] = "https://evil.example/authorize" }
            scenario.clock.advance(by: .seconds(7200))
            let request = try await client.beginSignIn()
            #expect(request.url.hasPrefix("https://id.acme.example/authorize?"))
            #expect(scenario.count("/.well-known/openid-configuration") == 2)
        }
    }

    /// The last day of a copy, in steps of the time that passes between two requests.
    @Test("DISC-26: Copies that cannot be fetched again end after a day", arguments: [600, 3601, 40_000, 86_401])
    func DISC_26_copiesEndAfterADay(step: Int) async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        func signIn() async throws {
            let request = try await client.beginSignIn()
            _ = try await client.completeSignIn(scenario.callback(request), for: request.pending)
        }
        try await signIn()
        scenario.change { script in
            script.keys.status = 500
            script.metadata.status = 500
        }
        var age = 0
        while age + step < 86_400 {
            age += step
            scenario.clock.advance(by: .seconds(step))
            try await signIn()
        }
        scenario.clock.advance(by: .seconds(86_400 - age))
        for _ in 0..<2 { await expectRefusal(.serverUnavailable) { try await signIn() } }
        // Metadata alone does not keep the keys.
        scenario.change { $0.metadata.status = 200 }
        scenario.clock.advance(by: .seconds(10))
        await expectRefusal(.serverUnavailable, at: .keys) { try await signIn() }
        scenario.change { $0.keys.status = 200 }
        scenario.clock.advance(by: .seconds(10))
        try await signIn()
    }

    @Test("DISC-17: Hundred at once ask once")
    func DISC_17_hundredAtOnceAskOnce() async throws {
        let gate = Gate()
        let scenario = Scenario(gate: { _, _ in await gate.pass() })
        let client = try Flow.signIn.client(of: scenario)
        let first = Task { try await client.beginSignIn() }
        await gate.arrival()
        let others = (0..<99).map { _ in Task { try await client.beginSignIn() } }
        first.cancel()
        await settle()
        gate.open()
        for task in others { #expect(try await task.value.url.hasPrefix("https://id.acme.example/")) }
        #expect(scenario.count("/.well-known/openid-configuration") == 1)
    }

    @Test("DISC-18: Signed metadata has no effect")
    func DISC_18_signedMetadataHasNoEffect() async throws {
        let signed = try SigningKey.rsa.token(
            ["iss": "https://id.acme.example", "token_endpoint": "https://evil.example/token"], algorithm: "RS256")
        try await accept {
            $0.metadata["signed_metadata"] = .string(signed)
        } check: { scenario, outcome in
            #expect(outcome.tokens != nil)
            #expect(scenario.log.allSatisfy { $0.url.hasPrefix("https://id.acme.example/") })
        }
    }

    @Test("DISC-19: Tenant of another")
    func DISC_19_tenantOfAnother() async throws {
        let tenant = "https://id.acme.example/{tenantid}/v2.0"
        let flow = Flow.signIn.adding("issuer_match: { template: \"\(tenant)\", claims: { tenantid: tid } }")
        func issue(_ script: inout Script, issuer: String, tid: String?) {
            script.metadata["issuer"] = .string(tenant)
            script.callback.remove(at: 2)
            script.metadata["authorization_response_iss_parameter_supported"] = false
            script.idToken.claims["iss"] = .string("https://id.acme.example/\(issuer)/v2.0")
            script.idToken.claims["tid"] = tid.map { .string($0) }
        }
        let good = Scenario()
        _ = try await flow.run(good) { issue(&$0, issuer: "one", tid: "one") }
        for (issuer, tid) in [("one", "two"), ("one", nil), ("{tenantid}", "one"), ("one/v2.0/evil", "one")] {
            let scenario = Scenario()
            await expectRefusal(.issuerMismatch) {
                try await flow.run(scenario) { issue(&$0, issuer: issuer, tid: tid) }
            }
            #expect(scenario.count("/userinfo") == 0)
        }
    }

    @Test("DISC-21: Server without S256", arguments: [["plain"], [], nil] as [[String]?])
    func DISC_21_serverWithoutS256(methods: [String]?) async throws {
        try await accept {
            $0.metadata["code_challenge_methods_supported"] = methods.map { .array($0.map { .string($0) }) }
        } check: { scenario, outcome in
            #expect(
                outcome.request?.url.contains("code_challenge_method=S256&") == true
                    || outcome.request?.url.hasSuffix("code_challenge_method=S256") == true)
            #expect(scenario.requests(to: "/token").first?.form["code_verifier"]?.utf8.count == 43)
        }
    }

    @Test("DISC-22: Metadata that lists none")
    func DISC_22_metadataThatListsNone() async throws {
        try await refuse(.idToken, .unsupportedAlgorithm) { script in
            script.metadata["id_token_signing_alg_values_supported"] = ["none", "RS256"]
            script.idToken.header["alg"] = "none"
            script.idToken.algorithm = nil
        }
    }

    @Test("DISC-23: Provider that is down")
    func DISC_23_providerThatIsDown() async throws {
        let scenario = Scenario()
        scenario.change { $0.metadata = .text("down", status: 503, type: "text/plain") }
        let client = try Flow.signIn.client(of: scenario)
        for _ in 0..<100 { await expectRefusal(.serverUnavailable) { try await client.beginSignIn() } }
        // One request to each place of the metadata.
        #expect(scenario.log.count == 2)
        scenario.clock.advance(by: .seconds(10))
        scenario.change { $0.metadata = Script().metadata }
        _ = try await client.beginSignIn()
        #expect(scenario.log.count == 3)
    }
}
