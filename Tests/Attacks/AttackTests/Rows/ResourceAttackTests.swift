// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetServerTestSupport
import CarnetTesting
import CarnetTransport
import Foundation
import HTTPTypes
import Testing

@Suite("PR: protected resources that nobody configured", .searchedForSecrets)
struct ResourceAttackTests {
    static let resource = "https://api.acme.example/resource"
    static let wellKnown = "https://api.acme.example/.well-known/oauth-protected-resource"
    static let evil = "https://evil.example"
    private static let paths: Set<String> = [
        "/resource", "/.well-known/oauth-protected-resource/resource", "/.well-known/oauth-protected-resource",
    ]

    static let descriptor = """
        carnet: 1
        id: acme
        name: Acme
        resource: \(resource)

        """

    static func document(_ changes: [String: JSONValue?] = [:]) -> ServerResponse {
        var document = ServerResponse([
            "resource": .string(resource), "authorization_servers": [.string(Scenario.issuer)],
            "scopes_supported": ["read"],
        ])
        for (name, value) in changes { document[name] = value }
        return document
    }

    private static func challenge(_ parameters: String) -> ServerResponse {
        var response = ServerResponse([:], status: 401)
        response.headers.append(("WWW-Authenticate", "Bearer \(parameters)"))
        return response
    }

    /// A good resource, and its authorization server, which knows no OpenID Connect.
    static let good: @Sendable (inout Script) -> Void = { script in
        Flow.withoutIDToken(&script)
        script.token["scope"] = nil
        script.refresh["scope"] = nil
        script.elsewhere["\(wellKnown)/resource"] = document()
    }

    static let signIn = Flow { scenario, outcome in
        let request = try await outcome.client.beginSignIn()
        outcome.request = request
        outcome.session = try await outcome.client.completeSignIn(scenario.callback(request), for: request.pending)
        outcome.tokens = try await outcome.session?.storedTokens()
    }.of(descriptor).served(good)

    private static func signedIn(
        _ act: @escaping @Sendable (Scenario, inout Flow.Outcome) async throws -> Void
    ) -> Flow { Flow(isSignedIn: true, act: act).of(descriptor).served(good) }

    private static let lies: [JSONValue] = [
        "https://evil.example/resource", "https://api.acme.example/resource/", "https://API.acme.example/resource",
        "http://api.acme.example/resource", "https://api.acme.example:443/resource", "https://api.acme.example",
        "https://api.acme.example/Resource", "https://api.acme.example/resource?x=1", "",
    ]

    @Test("PR-01: Metadata of another resource")
    func PR_01_metadataOfAnotherResource() async throws {
        try await refuse(.discovery, .resourceMismatch, in: Self.signIn, each: Self.lies, mayRequest: Self.paths) {
            $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document(["resource": $1])
        }
        try await refuse(
            .discovery, .missingField, in: Self.signIn, each: [nil, .null, 1, ["a"]] as [JSONValue?],
            mayRequest: Self.paths
        ) { $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document(["resource": $1]) }
    }

    @Test("PR-01: The root of a host describes the host, or the resource itself")
    func PR_01_rootOfAHost() async throws {
        let root = "https://api.acme.example"
        for name in [Self.resource, root, "\(root)/"] {
            let scenario = Scenario()
            let outcome = try await Self.signIn.run(scenario) {
                $0.elsewhere["\(Self.wellKnown)/resource"] = nil
                $0.elsewhere[Self.wellKnown] = Self.document(["resource": .string(name)])
            }
            #expect(outcome.tokens != nil)
            #expect(scenario.requests(to: "/token").first?.form["resource"] == name)
        }
        try await refuse(
            .discovery, .resourceMismatch, in: Self.signIn,
            each: ["\(root)/other", "https://acme.example", "\(root):443"],
            mayRequest: Self.paths
        ) {
            $0.elsewhere["\(Self.wellKnown)/resource"] = nil
            $0.elsewhere[Self.wellKnown] = Self.document(["resource": .string($1)])
        }
    }

    /// The metadata may be anywhere. What counts is that it names this resource.
    @Test("PR-02: A challenge leads to the metadata of another resource")
    func PR_02_challengeToAnotherResource() async throws {
        let place = "\(Self.evil)/metadata"
        try await accept(in: Self.signIn) {
            $0.resource = Self.challenge(#"resource_metadata="\#(place)""#)
            $0.elsewhere[place] = Self.document()
        } check: { scenario, _ in
            #expect(scenario.log.map(\.url).contains(place))
        }
        try await refuse(
            .discovery, .resourceMismatch, in: Self.signIn, each: Self.lies, mayRequest: Self.paths.union(["/metadata"])
        ) {
            $0.resource = Self.challenge(#"resource_metadata="\#(place)""#)
            $0.elsewhere[place] = Self.document(["resource": $1])
        }
    }

    @Test("PR-03: The authorization server that the resource names says that it is another")
    func PR_03_issuerOfAnother() async throws {
        for issuer in [Self.evil, Scenario.issuer + "//", Scenario.issuer + "/tenant", "https://ID.acme.example"] {
            let scenario = Scenario()
            await expectRefusal(.issuerMismatch, at: .discovery) {
                try await Self.signIn.run(scenario) { script in
                    script.metadata["issuer"] = .string(issuer)
                }
            }
            #expect(scenario.count("/token") == 0)
        }
        // Its metadata names the server that was attacked, and the server's endpoints are its own.
        let scenario = Scenario()
        await expectRefusal(.issuerMismatch, at: .discovery) {
            try await Self.signIn.run(scenario) { script in
                script.elsewhere["\(Self.wellKnown)/resource"] = Self.document([
                    "authorization_servers": [.string(Self.evil)]
                ])
                script.elsewhere["\(Self.evil)/.well-known/oauth-authorization-server"] = script.metadata
            }
        }
    }

    @Test("PR-04: A resource with https leads to http")
    func PR_04_http() async throws {
        let urls = [
            "http://id.acme.example", "http://127.0.0.1:8080", "http://localhost/x", "ftp://id.acme.example", "x",
        ]
        let errors = try await refuse(.discovery, .badDescriptor, in: Self.signIn, each: urls, mayRequest: Self.paths) {
            $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document(["authorization_servers": [.string($1)]])
        }
        #expect(errors.count == urls.count && errors.allSatisfy { $0.descriptorKey == "resource" })
        try await refuse(.discovery, .badDescriptor, in: Self.signIn, each: urls, mayRequest: Self.paths) {
            $0.resource = Self.challenge(#"resource_metadata="\#($1)/metadata""#)
        }
    }

    /// Only what the descriptor itself names may be local: neither the authorization server nor the place of the metadata.
    @Test("PR-05: Found URLs lead to this machine", arguments: NetworkTransport.allCases)
    func PR_05_foundURLsLeadInside(kind: NetworkTransport) async throws {
        let inside = try RawServer(Wire.response(Wire.good(.token)))
        defer { inside.stop() }
        for host in ["127.0.0.1", "localhost"] {
            let place = "https://\(host):\(inside.port)"
            await expectRefusal(.undeclaredHost, at: .discovery) {
                try await Self.signIn.run(Scenario(wire: kind.make())) {
                    $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document([
                        "authorization_servers": [.string(place)]
                    ])
                }
            }
            await expectRefusal(.undeclaredHost, at: .discovery) {
                try await Self.signIn.run(Scenario(wire: kind.make())) {
                    $0.resource = Self.challenge(#"resource_metadata="\#(place)/metadata""#)
                }
            }
            // An issuer beside a resource may have been found as well.
            await expectRefusal(.undeclaredHost, at: .discovery) {
                try await Self.signIn.adding("issuer: \(place)").run(Scenario(wire: kind.make())) { _ in }
            }
        }
        #expect(inside.connections == 0)
        // A resource on this machine, which a user named, may have its server there too.
        let registry = try ProviderRegistry().entry(
            ofResource: try WebURL("http://127.0.0.1:\(inside.port)/mcp"), issuer: "http://127.0.0.1:9")
        #expect(registry.descriptor.ownHosts == ["127.0.0.1"])
    }

    @Test("PR-06: Requests for the metadata of a resource are redirected")
    func PR_06_redirects() async throws {
        for (status, place) in [(302, Self.wellKnown + "/resource"), (307, Self.resource)] {
            let scenario = Scenario()
            await expectRefusal(.unexpectedStatus, at: .discovery) {
                try await Self.signIn.run(scenario) { script in
                    var moved = ServerResponse([:], status: status)
                    moved.headers.append(("Location", "\(Self.evil)/metadata"))
                    script.elsewhere[Self.wellKnown + "/resource"] = moved
                    script.elsewhere[place] = moved
                    script.elsewhere["\(Self.evil)/metadata"] = Self.document()
                }
            }
            #expect(scenario.log.allSatisfy { !$0.url.hasPrefix(Self.evil) })
        }
    }

    @Test("PR-07: The metadata of a resource is endless, huge or slow")
    func PR_07_endless() async throws {
        try await refuse(
            .discovery, .transport, in: Self.signIn,
            each: [.responseTooLarge, .timeout, .interrupted] as [ServerResponse.TransportFailure],
            mayRequest: Self.paths
        ) { $0.elsewhere["\(Self.wellKnown)/resource"] = .fails($1) }
        // The resource itself need not respond in time: its metadata has a URL of its own.
        try await accept(in: Self.signIn, each: [.responseTooLarge, .timeout] as [ServerResponse.TransportFailure]) {
            $0.resource = .fails($1)
        }
    }

    @Test("PR-08: A resource with several authorization servers, or none")
    func PR_08_severalServers() async throws {
        let error = try await refuse(.discovery, .unsupported, in: Self.signIn, mayRequest: Self.paths) {
            $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document([
                "authorization_servers": [.string(Self.evil), .string(Scenario.issuer)]
            ])
        }
        #expect(error?.message.contains(Self.evil) == true && error?.hint?.contains("issuer") == true)
        // The host's word decides.
        _ = try await Self.signIn.adding("issuer: \(Scenario.issuer)").run(Scenario()) {
            $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document(["authorization_servers": [.string(Self.evil)]])
        }
        // One that names none is its own, as one without a document: nobody else is asked.
        for none in [nil, .null, []] as [JSONValue?] {
            let scenario = Scenario()
            await expectRefusal(.issuerMismatch, at: .discovery) {
                try await Self.signIn.run(scenario) {
                    $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document(["authorization_servers": none])
                }
            }
            #expect(scenario.log.allSatisfy { $0.url.hasPrefix("https://api.acme.example/") })
        }
    }

    private static let hostileScopes: [String] = [
        "a\u{0}", "a\nb", "\"", "\\", "é", "\u{202E}", String(repeating: "a", count: 257),
    ]

    @Test("PR-09: Hostile scopes")
    func PR_09_hostileScopes() async throws {
        // The member only informs. What is no scope is left out.
        try await accept(in: Self.signIn, each: Self.hostileScopes + ["a b", ""]) {
            $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document(["scopes_supported": ["read", .string($1)]])
        } check: { _, outcome, _ in
            #expect(outcome.request?.pending.scopes == ["read"])
        }
        // A list that nobody could agree to says nothing.
        try await accept(in: Self.signIn) {
            let many = (0...100).map { JSONValue.string("s\($0)") }
            $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document(["scopes_supported": .array(many)])
        } check: { _, outcome in
            #expect(outcome.request?.pending.scopes == [])
        }
        try await refuse(
            .discovery, .wrongFieldType, in: Self.signIn, each: ["é", String(repeating: "a", count: 257)],
            mayRequest: Self.paths
        ) { $0.resource = Self.challenge(#"scope="read \#($1)""#) }
        let outcome = try await Self.signIn.run(Scenario()) {
            $0.resource = Self.challenge(#"scope="one two&state=x""#)
        }
        #expect(outcome.request?.pending.scopes == ["one", "two&state=x"])
        #expect(outcome.request?.url.contains("scope=one%20two%26state%3Dx") == true)
    }

    @Test("PR-10: The metadata of a resource is malformed")
    func PR_10_malformed() async throws {
        try await refuse(
            .discovery, .wrongFieldType, in: Self.signIn, each: ["x", 1, ["a": 1], [1]] as [JSONValue],
            mayRequest: Self.paths
        ) { $0.elsewhere["\(Self.wellKnown)/resource"] = Self.document(["authorization_servers": $1]) }
        for text in ["", "[]", "{", #"{"resource":"a","resource":"b"}"#, "null"] {
            let scenario = Scenario()
            _ = await expectThrown(OAuthError.self) {
                try await Self.signIn.run(scenario) {
                    $0.elsewhere["\(Self.wellKnown)/resource"] = .text(text)
                }
            }
            #expect(scenario.count("/token") == 0)
        }
        let ownMetadata: Set<String> = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]
        // A page leads to the metadata of the resource's own origin, which is another server's here.
        try await refuse(.discovery, .issuerMismatch, in: Self.signIn, mayRequest: Self.paths.union(ownMetadata)) {
            $0.elsewhere["\(Self.wellKnown)/resource"] = .text("<p>Welcome</p>", type: "text/html")
        }
    }

    @Test("PR-11: The callback is that of another authorization server (mix-up)")
    func PR_11_mixUp() async throws {
        try await refuse(
            .callback, .issuerMismatch, in: Self.signIn, each: [Self.evil, Scenario.issuer + "/", "", Self.resource],
            mayRequest: Self.paths
        ) { $0.callback[2].value = $1 }
        try await refuse(.callback, .missingIssuer, in: Self.signIn, mayRequest: Self.paths) {
            $0.callback.removeAll { $0.name == "iss" }
        }
    }

    /// The evil authorization server, as the resource names it from now on.
    static func move(_ script: inout Script, to issuer: String) {
        var metadata = script.metadata
        for member in metadata.json.object?.members ?? [] {
            guard let text = member.value.string else { continue }
            metadata[member.name] = .string(text.replacingOccurrences(of: Scenario.issuer, with: issuer))
        }
        let origin = issuer.split(separator: "/").prefix(2).joined(separator: "//")
        let path = issuer.dropFirst(origin.count)
        script.elsewhere["\(origin)/.well-known/oauth-authorization-server\(path)"] = metadata
        script.elsewhere["\(issuer)/token"] = script.token
        script.elsewhere["\(wellKnown)/resource"] = document(["authorization_servers": [.string(issuer)]])
    }

    @Test(
        "PR-12: The resource names another server while the user signs in", arguments: [evil, Scenario.issuer + "/b"])
    func PR_12_anotherServerDuringASignIn(issuer: String) async throws {
        let flow = Flow { scenario, outcome in
            let request = try await outcome.client.beginSignIn(AuthorizationOptions(lifetime: 7200))
            scenario.change { Self.move(&$0, to: issuer) }
            scenario.clock.advance(by: .seconds(3601))
            scenario.change { $0.callback[2].value = issuer }
            outcome.session = try await outcome.client.completeSignIn(scenario.callback(request), for: request.pending)
        }.of(Self.descriptor).served(Self.good)
        let scenario = Scenario()
        await expectRefusal(.providerMismatch, at: .callback) { try await flow.run(scenario) { _ in } }
        #expect(scenario.count("/token") == 0 && scenario.count("/b/token") == 0)
    }

    @Test("PR-13: The resource names another server after the sign-in", arguments: [evil, Scenario.issuer + "/b"])
    func PR_13_anotherServerAfterTheSignIn(issuer: String) async throws {
        let flow = Self.signedIn { scenario, outcome in
            scenario.clock.advance(by: .seconds(3601))
            outcome.tokens = try await outcome.session?.refresh()
        }
        let scenario = Scenario()
        let error = await expectRefusal(.bindingMismatch, at: .refresh) {
            try await flow.run(scenario) { Self.move(&$0, to: issuer) }
        }
        #expect(error?.hint?.contains("sign in again") == true)
        #expect(scenario.hostileLog.allSatisfy { !$0.url.hasSuffix("/token") })
        _ = try await flow.run(Scenario()) { _ in }
    }

    @Test("PR-14: A token for the resource goes to another origin")
    func PR_14_tokenForAnotherOrigin() async throws {
        for url in ["\(Self.evil)/x", "https://api.acme.example:8443/resource", "http://api.acme.example/resource"] {
            let flow = Self.signedIn { _, outcome in
                outcome.response = try await outcome.session?.send(HTTPRequest(url: url))
            }
            let scenario = Scenario()
            _ = await expectThrown(OAuthError.self) { try await flow.run(scenario) { _ in } }
            #expect(scenario.hostileLog.isEmpty)
        }
        let flow = Self.signedIn { _, outcome in
            outcome.response = try await outcome.session?.send(HTTPRequest(url: Self.resource))
        }
        #expect(try await flow.run(Scenario()) { _ in }.response?.status == 200)
    }

    @Test("PR-15: A resource rejects every token")
    func PR_15_everyTokenIsRejected() async throws {
        let flow = Self.signedIn { _, outcome in
            outcome.response = try await outcome.session?.send(HTTPRequest(url: Self.resource))
        }
        let scenario = Scenario()
        await expectRefusal(.unauthorized, at: .resource) {
            try await flow.run(scenario) {
                $0.resource = Self.challenge(
                    #"error="invalid_token", resource_metadata="\#(Self.evil)/m", scope="all""#)
            }
        }
        #expect(scenario.hostileLog.map(\.path) == ["/resource", "/token", "/resource"])
    }

    @Test("PR-16: Each request names the resource, so that no server issues a token for another")
    func PR_16_resourceInEachRequest() async throws {
        let scenario = Scenario()
        let flow = Self.signedIn { _, outcome in outcome.tokens = try await outcome.session?.refresh() }
        let outcome = try await flow.run(scenario) { _ in }
        #expect(outcome.tokens != nil)
        #expect(scenario.requests(to: "/token").map { $0.form["resource"] } == [Self.resource, Self.resource])
        let request = try await outcome.client.beginSignIn()
        #expect(request.url.contains("resource=https%3A%2F%2Fapi.acme.example%2Fresource"))
    }

    /// A file that came with a download has the issuer of a known server, and says where its tokens go.
    @Test("PR-17: A descriptor that nobody named lends nothing")
    func PR_17_descriptorThatNobodyNamed() async throws {
        let hostile = """
            carnet: 1
            id: hostile
            name: Hostile
            issuer: https://id.acme.example
            endpoints: { token: 'https://evil.example/token' }
            authorization: { parameters: { prompt: none } }

            """
        var registry = ProviderRegistry()
        registry.add(
            [SourceFile(path: "providers/hostile.yaml", text: hostile)], origin: .folder("providers"), overriding: false
        )
        let entry = try registry.entry(ofResource: try WebURL(Self.resource), issuer: Scenario.issuer)
        #expect(entry.document.ancestors.isEmpty)
        #expect(try entry.descriptor.resolve().endpoints[.token] == nil)
        // The same file, if the user names its place.
        var named = ProviderRegistry()
        named.add([SourceFile(path: "providers/hostile.yaml", text: hostile)], origin: .folder("providers"))
        let lent = try named.entry(ofResource: try WebURL(Self.resource), issuer: Scenario.issuer)
        #expect(lent.document.ancestors == ["hostile"])
        for other in [Scenario.issuer + "/", "https://id.acme.example:443", "https://ID.acme.example"] {
            #expect(try named.entry(ofResource: try WebURL(Self.resource), issuer: other).document.ancestors.isEmpty)
        }
    }

    @Test("PR-18: What is known of an issuer opens its own resources to the tokens of another")
    func PR_18_resourcesOfTheLender() async throws {
        let lender = """
            carnet: 1
            id: known
            name: Known
            issuer: https://id.acme.example
            scopes: { default: [openid], required: [all], offline: [forever] }
            api: { hosts: [mail.acme.example], headers: { X-Key: x } }
            resources: [{ title: Mail, scope: all, url: 'https://mail.acme.example/' }]
            profile: { headers: { X-Token: x }, requests: [{ url: 'https://mail.acme.example/me', claims: { name: /n } }] }

            """
        var registry = ProviderRegistry()
        registry.add([SourceFile(path: "known.yaml", text: lender)])
        let entry = try registry.entry(ofResource: try WebURL(Self.resource), issuer: Scenario.issuer, scopes: ["read"])
        let provider = try entry.descriptor.resolve()
        #expect(entry.document.ancestors == ["known"])
        #expect(provider.shared.resourcePlaces == ["https://api.acme.example:443"])
        #expect(provider.api.headers.isEmpty && provider.resources.isEmpty && provider.profile.requests.isEmpty)
        #expect(provider.scopes.defaults == ["read"] && provider.scopes.required.isEmpty)
        #expect(provider.scopes.offline == ["forever"])
    }

    /// A person who consents to everything, and how often that was.
    private final class Consent: UserAgent, AuthorizationPresenter {
        let redirectURI = Scenario.redirectURI
        private let scenario: Scenario
        private let pages = Lock(0)

        init(_ scenario: Scenario) {
            self.scenario = scenario
        }

        var count: Int { pages.withLock { $0 } }

        func prepare(redirectURI: String) async throws -> any AuthorizationPresenter { self }

        func present(
            _ url: String, accepts: @escaping @Sendable (AuthorizationCallback) -> Bool
        ) async throws -> AuthorizationCallback {
            pages.withLock { $0 += 1 }
            return AuthorizationCallback(url: "\(redirectURI)?\(scenario.callbackQuery(ofURL: url))")
        }

        func close() async {}
    }

    private static func demand(_ scope: String) -> ServerResponse {
        var response = ServerResponse([:], status: 403)
        response.headers.append(("WWW-Authenticate", #"Bearer error="insufficient_scope", scope="\#(scope)""#))
        return response
    }

    /// - Returns: How often the user was asked.
    private func stepUp(_ resource: ServerResponse) async throws -> (
        pages: Int, scenario: Scenario, error: (any Error)?
    ) {
        let scenario = Scenario()
        let agent = Consent(scenario)
        let flow = Self.signedIn { _, outcome in
            outcome.response = try await outcome.session?.send(HTTPRequest(url: Self.resource), asking: agent)
        }
        do {
            _ = try await flow.run(scenario) { $0.resource = resource }
            return (agent.count, scenario, nil)
        } catch {
            return (agent.count, scenario, error)
        }
    }

    @Test("PR-19: A resource demands other scopes each time")
    func PR_19_endlessDemands() async throws {
        var resource = Self.demand("s0")
        resource.later = (1...9).map { Self.demand("s\($0)") }
        let (pages, scenario, error) = try await stepUp(resource)
        #expect(pages == 2 && (error as? OAuthError)?.kind == .insufficientScope)
        #expect(scenario.hostileLog.count { $0.path == "/resource" } == 3)
        var good = Self.demand("more")
        good.later = [ServerResponse(["ok": true])]
        let once = try await stepUp(good)
        #expect(once.pages == 1 && once.error == nil)
    }

    @Test("PR-20: A resource demands what was granted, or says nothing")
    func PR_20_demandOfTheGranted() async throws {
        for scope in ["read", "read read", ""] {
            let (pages, _, error) = try await stepUp(Self.demand(scope))
            #expect(pages == 0 && (error as? OAuthError)?.kind == .insufficientScope)
        }
        var again = Self.demand("more")
        again.later = [Self.demand("more")]
        let (pages, _, error) = try await stepUp(again)
        #expect(pages == 1 && (error as? OAuthError)?.kind == .insufficientScope)
    }

    static func registering(_ scenario: Scenario, _ store: any TokenStore) -> AutomaticRegistration {
        AutomaticRegistration(
            ClientMetadata(redirectURIs: [Scenario.redirectURI], authenticationMethod: .clientSecretPost),
            transport: scenario, store: store)
    }

    static func register(_ script: inout Script) {
        good(&script)
        script.registration = ServerResponse(
            [
                "client_id": "registered-{n}", "client_secret": "{secret}",
                "token_endpoint_auth_method": "client_secret_post",
            ], status: 201)
    }

    static func client(_ scenario: Scenario, _ store: any TokenStore) async throws -> OAuthClient {
        try await OAuthClient(
            resource: resource, registering: registering(scenario, store), transport: scenario, store: store,
            clock: scenario.clock)
    }

    @Test("PR-21: The client of one server signs in at another", arguments: [evil, Scenario.issuer + "/b"])
    func PR_21_clientOfAnotherServer(issuer: String) async throws {
        let scenario = Scenario()
        scenario.change(Self.register)
        _ = try await Self.client(scenario, scenario.store).signIn(at: scenario)
        let old = try #require(scenario.requests(to: "/token").first?.form["client_id"])
        try await scenario.turnHostile()
        scenario.change { script in
            Self.move(&script, to: issuer)
            // The harness counts {n} anew.
            script.registration["client_id"] = "other-{n}"
            script.elsewhere["\(issuer)/register"] = script.registration
            script.callback[2].value = issuer
        }
        let client = try await Self.client(scenario, scenario.store)
        _ = try await client.signIn(at: scenario)
        let sent = scenario.hostileLog.filter { $0.url == "\(issuer)/token" }
        #expect(sent.count == 1 && sent.allSatisfy { $0.form["client_id"] != old })
        #expect(client.registration.clientID != old)
    }

    @Test("PR-22: A server moves its token endpoint after clients registered")
    func PR_22_tokenEndpointMoves() async throws {
        let scenario = Scenario()
        scenario.change(Self.register)
        _ = try await Self.client(scenario, scenario.store).signIn(at: scenario)
        try await scenario.turnHostile()
        scenario.change { script in
            script.metadata["token_endpoint"] = .string("\(Self.evil)/token")
            script.elsewhere["\(Self.evil)/token"] = script.token
        }
        await expectRefusal(.bindingMismatch, at: .tokenRequest) {
            try await Self.client(scenario, scenario.store).signIn(at: scenario)
        }
        #expect(scenario.hostileLog.allSatisfy { !$0.url.hasPrefix(Self.evil) })
    }
}
