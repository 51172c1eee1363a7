// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetServerTestSupport
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// What a server does that nobody chose: a resource named it.
extension ResourceAttackTests {
    /// The code would go to the attacker's server, with the code verifier. Only the `iss` of the honest server shows it.
    @Test("PR-23: The server of a resource sends the user to another server (mix-up)")
    func PR_23_userIsSentToAnotherServer() async throws {
        let flow = Flow { scenario, outcome in
            let request = try await outcome.client.beginSignIn()
            outcome.session = try await outcome.client.completeSignIn(scenario.callback(request), for: request.pending)
        }.of(Self.descriptor).served(Self.good)
        try await control(flow)
        for announced in [nil, false, true] as [JSONValue?] {
            let scenario = Scenario()
            // Without the announcement, no page is opened: a server that sends no `iss` would show nothing.
            let isAnnounced = announced == true
            await expectRefusal(
                isAnnounced ? .issuerMismatch : .badDescriptor, at: isAnnounced ? .callback : .authorization
            ) {
                try await flow.run(scenario) { script in
                    Self.move(&script, to: Self.evil)
                    let place = "\(Self.evil)/.well-known/oauth-authorization-server"
                    script.elsewhere[place]?["authorization_endpoint"] = .string(
                        "\(Scenario.issuer)/authorize")
                    script.elsewhere[place]?["authorization_response_iss_parameter_supported"] = announced
                }
            }
            #expect(scenario.log.contains { $0.url.hasPrefix(Self.evil) })
            #expect(scenario.log.allSatisfy { !$0.url.hasSuffix("/token") })
        }
    }

    /// Known providers with every way to write an origin: as it is, with an input in the path or in the host, and in another
    /// environment.
    private static let known = """
        carnet: 1
        id: honest
        name: Honest
        endpoints:
          authorization: https://login.honest.example/{tenant}/authorize
          token: https://api.honest.example/token
          device_authorization: https://device.honest.example/{tenant}
        inputs: { tenant: { default: a }, shop: { default: s } }
        environments:
          shops: { endpoints: { authorization: "https://{shop}.shops.example/authorize", token: "https://{shop}.shops.example/token" } }

        """

    private static let mixUps: [(endpoint: String, token: String, isOwn: Bool)] = [
        ("https://login.honest.example/a/authorize", "https://evil.example/token", false),
        ("https://LOGIN.honest.example:443/other?x=1", "https://evil.example/token", false),
        ("https://device.honest.example/a", "https://evil.example/token", false),
        ("https://login.honest.example./a/authorize", "https://evil.example/token", false),
        ("https://login.honest.example.:443/a/authorize", "https://login.evil.example./token", false),
        ("https://victim.shops.example./authorize", "https://evil.example/token", false),
        ("https://victim.shops.example/authorize", "https://evil.example/token", false),
        ("https://victim.shops.example/authorize", "https://evil.shops.example/token", false),
        ("https://login.honest.example/a/authorize", "https://api.honest.example/other", true),
        ("https://victim.shops.example/authorize", "https://victim.shops.example/token", true),
        ("https://login.honest.example./a/authorize", "https://api.honest.example./token", true),
        ("https://unknown.example/authorize", "https://evil.example/token", true),
    ]

    /// Even `iss` and a person's word do not count: the descriptor knows better.
    @Test(
        "PR-34: Endpoints of a known provider", arguments: mixUps,
        ["authorization_endpoint", "device_authorization_endpoint"])
    func PR_34_endpointsOfAKnownProvider(
        _ mixUp: (endpoint: String, token: String, isOwn: Bool), member: String
    ) async throws {
        var registry = ProviderRegistry()
        registry.add([SourceFile(path: "honest.yaml", text: Self.known)])
        #expect(registry.problems.isEmpty)
        let scenario = Scenario()
        scenario.change { script in
            Self.register(&script)
            script.metadata[member] = .string(mixUp.endpoint)
            script.metadata["token_endpoint"] = .string(mixUp.token)
        }
        func entry(_ registry: ProviderRegistry) async throws -> ProviderRegistry.Entry {
            try await Discovery(transport: scenario).entry(ofResource: Self.resource, among: registry) { foreign, _ in
                foreign
            }
        }
        if mixUp.isOwn {
            _ = try await entry(registry)
        } else {
            let error = await expectRefusal(.issuerMismatch, at: .discovery) { try await entry(registry) }
            #expect(error?.message.contains("honest") == true && error?.hint?.contains("do not sign in") == true)
            // What a place that may not override says does not count.
            var guests = ProviderRegistry()
            guests.add(
                [SourceFile(path: "honest.yaml", text: Self.known)], origin: .folder("providers"), overriding: false)
            _ = try await entry(guests)
        }
        #expect(scenario.log.allSatisfy { !$0.url.hasSuffix("/register") })
    }

    /// The server's list is no attacker's: it says who may have its tokens (RFC 9728, section 4).
    @Test(
        "PR-38: A resource that the server does not list",
        arguments: [
            (nil, true), ([], true), ([resource], true), ([resource + "/"], true), ([evil, resource], true),
            ([evil], false),
            ([resource + "/other"], false), ([resource.uppercased()], false),
        ] as [([String]?, Bool)])
    func PR_38_resourceThatIsNotListed(list: [String]?, isServed: Bool) async throws {
        let scenario = Scenario()
        scenario.change { script in
            Self.register(&script)
            script.metadata["protected_resources"] = list.map { .array($0.map { .string($0) }) }
        }
        func entry() async throws -> ProviderRegistry.Entry {
            try await Discovery(transport: scenario).entry(ofResource: Self.resource, among: ProviderRegistry())
        }
        // So does a host that names the resource in a descriptor.
        func signIn() async throws -> Flow.Outcome {
            try await Self.signIn.run(Scenario()) { script in
                script.metadata["protected_resources"] = list.map { .array($0.map { .string($0) }) }
            }
        }
        if isServed {
            _ = try await entry()
            #expect(try await signIn().tokens != nil)
        } else {
            let error = await expectRefusal(.resourceMismatch, at: .discovery) { try await entry() }
            #expect(error?.hint?.contains("do not sign in") == true)
            await expectRefusal(.resourceMismatch, at: .discovery) { try await signIn() }
        }
        #expect(scenario.log.allSatisfy { !$0.url.hasSuffix("/register") })
    }

    /// A device code has no callback, so nothing could name the issuer; a pushed request has one.
    @Test("PR-35: Device codes and pushed requests at another server", arguments: [false, true])
    func PR_35_otherRequests(announces: Bool) async throws {
        let scenario = Scenario()
        scenario.change { script in
            Self.register(&script)
            script.metadata["authorization_response_iss_parameter_supported"] = .bool(announces)
            for name in ["device_authorization_endpoint", "pushed_authorization_request_endpoint"] {
                script.metadata[name] = .string("\(Self.evil)/x")
            }
        }
        let client = try await Self.client(scenario, scenario.store)
        await expectRefusal(.badDescriptor, at: .deviceAuthorization) { try await client.beginDeviceSignIn() }
        let pushed = AuthorizationOptions(delivery: .init(isPushed: true))
        if announces {
            _ = try? await client.beginSignIn(pushed)
            #expect(scenario.log.contains { $0.url == "\(Self.evil)/x" })
        } else {
            await expectRefusal(.badDescriptor, at: .pushedAuthorization) { try await client.beginSignIn(pushed) }
            #expect(scenario.log.allSatisfy { !$0.url.hasPrefix(Self.evil) })
        }
    }

    /// A descriptor that somebody wrote is that person's word.
    @Test("PR-35: Endpoints that a person wrote or confirmed")
    func PR_35_endpointsOfADescriptor() async throws {
        let scenario = Scenario()
        scenario.change { script in
            Self.register(&script)
            script.metadata["authorization_response_iss_parameter_supported"] = false
            script.metadata["authorization_endpoint"] = "https://login.acme.example/authorize"
        }
        await expectRefusal(.issuerMismatch, at: .discovery) {
            try await Discovery(transport: scenario).entry(ofResource: Self.resource, among: ProviderRegistry())
        }
        let entry = try await Discovery(transport: scenario).entry(
            ofResource: Self.resource, among: ProviderRegistry()
        ) { foreign, issuer in
            #expect(issuer == Scenario.issuer && foreign.keys.map(\.rawValue) == ["authorization"])
            return foreign
        }
        #expect(
            entry.document.file.text.contains("endpoints: { authorization: \"https://login.acme.example/authorize\" }"))
        let client = try OAuthClient(
            entry.descriptor,
            registration: ClientRegistration(
                clientID: "c", credentials: .publicClient, redirectURI: Scenario.redirectURI),
            transport: scenario, store: scenario.store, clock: scenario.clock)
        #expect(try await client.beginSignIn().url.hasPrefix("https://login.acme.example/authorize?"))
    }

    @Test("PR-24: The server of a resource names endpoints on this machine", arguments: NetworkTransport.allCases)
    func PR_24_endpointsOnThisMachine(kind: NetworkTransport) async throws {
        let inside = try RawServer(Wire.response(Wire.good(.token)))
        defer { inside.stop() }
        let endpoints: [(String, OAuthError.Step)] = [
            ("registration_endpoint", .registration), ("token_endpoint", .tokenRequest),
        ]
        for place in ["http://127.0.0.1", "https://127.0.0.1", "http://localhost", "https://localhost"] {
            for (name, step) in endpoints {
                let scenario = Scenario(wire: kind.make())
                scenario.change { script in
                    Self.register(&script)
                    script.metadata[name] = .string("\(place):\(inside.port)/x")
                }
                await expectRefusal(.undeclaredHost, at: step, "\(name) at \(place)") {
                    try await Self.client(scenario, scenario.store).signIn(at: scenario)
                }
            }
        }
        #expect(inside.connections == 0)
        let scenario = Scenario(wire: kind.make())
        scenario.change(Self.register)
        _ = try await Self.client(scenario, scenario.store).signIn(at: scenario)
    }

    /// The token stays in its header, no page is opened, nothing further is requested, and no name is shown.
    @Test("PR-25: The metadata of a resource has members that would weaken the client")
    func PR_25_membersThatWeaken() async throws {
        let signed = try SigningKey.rsa.token(
            [
                "iss": .string(Self.evil), "resource": .string(Self.resource),
                "authorization_servers": [.string(Self.evil)],
            ],
            algorithm: "RS256")
        let members: [(String, JSONValue)] = [
            ("signed_metadata", .string(signed)), ("bearer_methods_supported", ["query"]),
            ("bearer_methods_supported", ["body"]), ("bearer_methods_supported", "query"),
            ("jwks_uri", .string("\(Self.evil)/keys")), ("resource_signing_alg_values_supported", ["none"]),
            ("resource_name", "A\u{1B}[2J\r\nB\u{202E}"), ("resource_name#fr", ["x"]),
            ("resource_documentation", "javascript:alert(1)"), ("resource_policy_uri", "file:///etc/passwd"),
            ("resource_tos_uri", .string("\(Self.evil)/terms")),
        ]
        let flow = Flow { scenario, outcome in
            let session = try await outcome.client.signIn(at: scenario)
            outcome.response = try await session.send(HTTPRequest(url: Self.resource))
        }.of(Self.descriptor).served(Self.good)
        try await accept(in: flow, each: members) {
            $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document([$1.0: $1.1])
        } check: { scenario, outcome, _ in
            #expect(outcome.response?.status == 200)
            #expect(scenario.log.allSatisfy { !$0.url.hasPrefix(Self.evil) })
            let call = try #require(scenario.requests(to: "/resource").last)
            #expect(call.headers[.authorization]?.hasPrefix("Bearer ") == true)
            #expect(call.query.isEmpty && call.body.isEmpty)
        }
    }

    /// URLs with the id of `resource`. Their hash has 64 bits that everybody can compute, so each took seconds to find: a
    /// path on the same host, and one on a host that is spelled alike in an id.
    private static let twins = [
        "https://api.acme.example/attgxibvj8-ln5iaa", "https://api-acme.example/vurltrfiahd0cyqda",
    ]

    @Test("PR-26: Two resources have the same id", arguments: twins)
    func PR_26_resourcesWithOneID(twin: String) async throws {
        let (own, other) = (try WebURL(Self.resource), try WebURL(twin))
        let scenario = Scenario()
        scenario.change { script in
            Self.register(&script)
            let place = "https://\(other.authority)\(ResourceMetadata.path(of: other))"
            script.elsewhere[place] = Self.document(["resource": .string(twin)])
        }
        let session = try await Self.client(scenario, scenario.store).signIn(at: scenario)
        try await scenario.turnHostile()
        let client = try await OAuthClient(
            resource: twin, registering: Self.registering(scenario, scenario.store), transport: scenario,
            store: scenario.store, clock: scenario.clock)
        #expect(client.provider.id.rawValue == session.key.provider, "the URLs no longer have one id")
        await expectRefusal(.bindingMismatch, at: .storage) {
            try await client.session(for: session.key.account)?.send(HTTPRequest(url: twin))
        }
        #expect(scenario.hostileLog.allSatisfy { $0.headers[.authorization] == nil && $0.path != "/token" })
        // A session that began before the other resource took its place in the store.
        let earlier = try #require(
            try await Self.client(scenario, scenario.store).session(for: session.key.account))
        _ = try await client.signIn(at: scenario)
        await expectRefusal(.bindingMismatch, at: .storage) { try await earlier.send(HTTPRequest(url: Self.resource)) }
        #expect(scenario.hostileLog.allSatisfy { $0.headers[.authorization] == nil })
        // The file of one is not read for the other.
        let entry = try ProviderRegistry().entry(ofResource: other, issuer: Self.evil)
        #expect(entry.descriptor.describes(other) && !entry.descriptor.describes(own))
    }

    /// The same host as `Scenario.issuer`, so its origin tells nothing; and the same client, because its id is a URL.
    @Test("PR-27: The resource names another tenant of the server, where the client has the same id")
    func PR_27_tenantWithTheSameClient() async throws {
        let document = "https://app.example/client.json"
        let scenario = Scenario()
        scenario.change { script in
            Self.good(&script)
            script.metadata["client_id_metadata_document_supported"] = true
        }
        func client() async throws -> OAuthClient {
            let registering = AutomaticRegistration(
                ClientMetadata(redirectURIs: [Scenario.redirectURI]), document: document, transport: scenario,
                store: scenario.store)
            return try await OAuthClient(
                resource: Self.resource, registering: registering, transport: scenario, store: scenario.store,
                clock: scenario.clock)
        }
        let first = try await client()
        let session = try await first.signIn(at: scenario)
        let begun = try await first.beginSignIn()
        try await scenario.turnHostile()
        scenario.change { Self.move(&$0, to: Scenario.issuer + "/b") }
        let moved = try await client()
        #expect(moved.registration.clientID == document)
        let error = await expectRefusal(.bindingMismatch, at: .refresh) {
            try await moved.session(for: session.key.account)?.refresh()
        }
        #expect(error?.hint?.contains("sign in again") == true)
        // A sign-in that began before.
        scenario.change { $0.callback[2].value = Scenario.issuer + "/b" }
        await expectRefusal(.providerMismatch, at: .callback) {
            try await moved.completeSignIn(scenario.callback(begun), for: begun.pending)
        }
        #expect(scenario.hostileLog.allSatisfy { !$0.url.hasSuffix("/token") })
        _ = try await moved.signIn(at: scenario)
    }

    @Test("PR-28: The client id that a server assigns forges a line, or controls a terminal")
    func PR_28_hostileClientID() async throws {
        let hostile = ["x\r\n2026-01-01 ERROR forged", "x\u{1B}[2J", "x\u{0}", "x\u{7F}", "x\u{85}", "x\u{202E}y", "é"]
        for text in hostile {
            for member in ["client_id", "client_secret"] {
                let scenario = Scenario()
                scenario.change { script in
                    Self.register(&script)
                    script.registration[member] = .string(text)
                }
                await expectRefusal(.wrongFieldType, at: .registration) {
                    try await Self.client(scenario, scenario.store)
                }
                #expect(try await scenario.isStoreEmpty())
            }
        }
    }

    @Test("PR-28: The client id that a server assigns fills the messages")
    func PR_28_endlessClientID() async throws {
        let scenario = Scenario()
        scenario.change { script in
            Self.register(&script)
            script.registration["client_id"] = .string(String(repeating: "x", count: 8000))
        }
        _ = try await Self.client(scenario, scenario.store).signIn(at: scenario)
        try await scenario.turnHostile()
        scenario.change { $0.metadata["token_endpoint"] = .string("\(Self.evil)/token") }
        let error = await expectRefusal(.bindingMismatch, at: .tokenRequest) {
            try await Self.client(scenario, scenario.store).signIn(at: scenario)
        }
        #expect(try #require(error).message.utf8.count < 500)
    }

    @Test("PR-28: The account that a server names forges a line, or controls a terminal")
    func PR_28_hostileAccount() async throws {
        let flow = Flow { scenario, outcome in
            let session = try await outcome.client.signIn(at: scenario)
            _ = try await session.signOut()
            outcome.tokens = try await session.tokens()
        }.of(Self.descriptor + "scopes: { default: [openid] }\n").served {
            $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document()
        }
        for text in [
            "ada\r\n2026-01-01 ERROR forged", "ada\u{1B}[2J", "ada\u{202E}", String(repeating: "a", count: 255),
        ] {
            for (claim, value) in [("email", text), ("sub", text)] {
                let error = await expectRefusal(.sessionEnded, at: .storage) {
                    try await flow.run(Scenario()) { script in
                        script.idToken.claims["email_verified"] = .bool(claim == "email")
                        script.idToken.claims[claim] = .string(value)
                    }
                }
                let message = try #require(error).message
                #expect(message.utf8.count < 200 && !message.unicodeScalars.contains("\u{202E}"))
            }
        }
    }
}
