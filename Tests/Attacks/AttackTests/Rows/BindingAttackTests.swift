// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes
import Testing

@testable import Fuzzing

@Suite("BIND: credentials go to the servers that they were made for", .searchedForSecrets)
struct BindingAttackTests {
    private static let evil = "https://evil.example"

    /// Every endpoint by name, so that one line can be another.
    private static let flow = Flow.signIn.of(
        """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        endpoints:
          authorization: https://id.acme.example/authorize
          token: https://id.acme.example/token
          jwks: https://id.acme.example/jwks
          userinfo: https://id.acme.example/userinfo
          revocation: https://id.acme.example/revoke
          introspection: https://id.acme.example/introspect
          end_session: https://id.acme.example/logout
        scopes: { default: [openid, profile, email] }
        api: { hosts: [api.acme.example] }

        """)

    /// Somebody who signed in, and the session with a client of a descriptor that was edited since.
    private struct Edited {
        let scenario: Scenario
        let client: OAuthClient
        let session: Session
    }

    private func edited(_ old: String, _ new: String, scenario: Scenario = Scenario()) async throws -> Edited {
        let key = try await Self.flow.client(of: scenario).signIn(at: scenario).key
        try await scenario.turnHostile()
        let client = try Self.flow.of(Self.flow.provider.replacing(old, with: new)).client(of: scenario)
        return Edited(
            scenario: scenario, client: client, session: try #require(try await client.session(for: key.account)))
    }

    private func expectNothingSent(_ scenario: Scenario, _ location: SourceLocation = #_sourceLocation) {
        #expect(scenario.hostileLog.allSatisfy { !$0.url.hasPrefix(Self.evil) }, sourceLocation: location)
    }

    private static let edits: [(endpoint: String, step: OAuthError.Step, key: String)] = [
        ("token", .refresh, "endpoints.token"), ("userinfo", .profile, "endpoints.userinfo"),
        ("introspect", .introspection, "endpoints.introspection"), ("revoke", .revocation, "endpoints.revocation"),
        ("logout", .signOut, "endpoints.end_session"),
    ]

    @Test("BIND-01: Endpoint that moved", arguments: edits)
    func BIND_01_endpointThatMoved(endpoint: String, step: OAuthError.Step, key: String) async throws {
        let edited = try await edited("\(Scenario.issuer)/\(endpoint)", "\(Self.evil)/\(endpoint)")
        let error: OAuthError?
        switch step {
        case .refresh: error = await expectRefusal(.bindingMismatch) { try await edited.session.refresh() }
        case .profile: error = await expectRefusal(.bindingMismatch) { try await edited.session.profile() }
        case .introspection: error = await expectRefusal(.bindingMismatch) { try await edited.session.introspect() }
        default:
            let outcome = try await edited.session.signOut(.everywhere)
            error = outcome.failures.first
            #expect(outcome.endSessionURL == nil || step != .signOut)
            #expect(outcome.isRevoked == (step != .revocation))
            #expect(
                try await edited.scenario.isStoreEmpty(),
                "the tokens are removed from the store, and may stay valid at the provider in any case")
        }
        #expect(error?.kind == .bindingMismatch && error?.step == step && error?.descriptorKey == key)
        #expect(error?.disposition == .fixConfiguration)
        #expect(error?.message.contains("https://evil.example:443") == true)
        #expect(error?.message.contains("https://id.acme.example:443") == true)
        #expect(error?.hint?.contains("sign in again") == true || step == .signOut)
        expectNothingSent(edited.scenario)
    }

    @Test("BIND-01: A new sign-in accepts the change")
    func BIND_01_aNewSignInAcceptsTheChange() async throws {
        let edited = try await edited("\(Scenario.issuer)/userinfo", "https://api.acme.example/userinfo")
        await expectRefusal(.bindingMismatch, at: .profile) {
            let moved = try Self.flow.of(
                Self.flow.provider.replacing("\(Scenario.issuer)/userinfo", with: "\(Self.evil)/userinfo")
            ).client(of: edited.scenario)
            return try await moved.session(for: edited.session.key.account)?.profile()
        }
        // An origin that the sign-in named for the API may get access tokens.
        _ = try await edited.session.profile()
        edited.scenario.change { $0.elsewhere["\(Self.evil)/userinfo"] = $0.userinfo }
        let moved = try Self.flow.of(
            Self.flow.provider.replacing("\(Scenario.issuer)/userinfo", with: "\(Self.evil)/userinfo")
        ).client(of: edited.scenario)
        _ = try await moved.signIn(at: edited.scenario).profile()
    }

    @Test("BIND-01: Host that was added")
    func BIND_01_hostThatWasAdded() async throws {
        let edited = try await edited("[api.acme.example]", "[api.acme.example, evil.example]")
        let error = await expectRefusal(.bindingMismatch, at: .resource) {
            try await edited.session.send(HTTPRequest(url: "\(Self.evil)/x"))
        }
        #expect(error?.descriptorKey == "resources")
        _ = try await edited.session.send(HTTPRequest(url: "https://api.acme.example/resource"))
        expectNothingSent(edited.scenario)
    }

    /// What the host program declares is the host program's word; what the descriptor adds is not, whoever hands it on.
    @Test("BIND-01: Resource that was added")
    func BIND_01_resourceThatWasAdded() async throws {
        let resource = "resources: [{ title: X, scope: openid, url: https://evil.example/x }]\n"
        let edited = try await edited("api: {", resource + "api: {")
        let stolen = try #require(try await edited.session.resources().first?.resource)
        await expectRefusal(.bindingMismatch, at: .resource) { try await edited.session.call(stolen) }
        await expectRefusal(.bindingMismatch, at: .resource) {
            try await edited.session.send(HTTPRequest(url: stolen.url), declared: [stolen])
        }
        expectNothingSent(edited.scenario)
        edited.scenario.change { $0.elsewhere["https://bank.example/x"] = ServerResponse(["ok": true]) }
        let own = try WebURL("https://bank.example/x")
        _ = try await edited.session.send(HTTPRequest(url: own.text), declared: [Resource(declaring: own)])
    }

    /// Edits of everything that names a server, by the thousand at night.
    @Test("BIND-01: Edits that nobody would think of")
    func BIND_01_editsThatNobodyWouldThinkOf() async throws {
        let target = try BindingTarget(corpus: [])
        var random = SplitMix64(seed: Budget.seed)
        for index in 0..<100 * Budget.factor {
            let bytes = target.input(&random)
            await #expect(throws: Never.self, "seed \(Budget.seed): \(String(decoding: bytes, as: UTF8.self))") {
                try await target.check(bytes, index: index)
            }
        }
    }

    /// The oracle sees what it is to see: without an edit each credential comes to each of its servers.
    @Test("BIND-01: Without an edit everything is sent")
    func BIND_01_withoutAnEditEverythingIsSent() async throws {
        let target = try BindingTarget(corpus: [])
        let deliveries = await target.deliveries(to: .original)
        func origins(_ credential: ObligingServers.Credential) -> Set<String> {
            Set(deliveries.filter { $0.credential == credential }.map(\.origin))
        }
        let servers = ["token", "exchange"].map { "https://\($0).acme.example:443" }
        #expect(origins(.accessToken) == EditedProvider.resources.union(servers))
        #expect(origins(.refreshToken) == ["https://token.acme.example:443"])
        #expect(origins(.clientSecret) == Set(servers))
        #expect(origins(.idToken) == ["https://id.acme.example:443"])
        #expect(origins(.code) == ["https://token.acme.example:443"])
    }

    @Test("BIND-02: Metadata that changed")
    func BIND_02_metadataThatChanged() async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        let session = try await client.signIn(at: scenario)
        try await scenario.turnHostile()
        for name in ["token", "userinfo", "revocation", "introspection", "end_session"] {
            scenario.change { $0.metadata["\(name)_endpoint"] = .string("\(Self.evil)/\(name)") }
        }
        // As long as the copy is believed, and with a client of a new process.
        scenario.clock.advance(by: .seconds(3601))
        await expectRefusal(.bindingMismatch, at: .refresh) { try await session.refresh() }
        await expectRefusal(.bindingMismatch, at: .introspection) { try await session.introspect() }
        let other = try Flow.signIn.client(of: scenario)
        let restored = try #require(try await other.session(for: session.key.account))
        await expectRefusal(.bindingMismatch) { try await restored.profile() }
        let outcome = try await restored.signOut(.everywhere)
        #expect(outcome.endSessionURL == nil && !outcome.isRevoked)
        #expect(outcome.failures.allSatisfy { $0.kind == .bindingMismatch })
        #expect(scenario.hostileLog.allSatisfy { $0.url.contains("/.well-known/") })
    }

    @Test("BIND-03: Descriptor of a running server")
    func BIND_03_descriptorOfARunningServer() async throws {
        let site = try Site([Self.flow.provider])
        var browser = Browser(site)
        _ = try await browser.signIn()
        let account = try #require(browser.session?.accounts.first)
        try await site.scenario.turnHostile()
        let swapped = try Site(
            [Self.flow.provider.replacing("\(Scenario.issuer)/token", with: "\(Self.evil)/token")],
            scenario: site.scenario)
        site.web.clients.replace(swapped.clients[0])
        let session = try #require(try await site.web.tokenSession(of: account), "nobody is signed out by it")
        await expectRefusal(.bindingMismatch, at: .refresh) { try await session.refresh() }
        expectNothingSent(site.scenario)
        // With the descriptor of before it goes on.
        site.web.clients.replace(site.clients[0])
        _ = try await site.web.tokenSession(of: account)?.refresh()
    }

    @Test("BIND-04: Descriptor that is swapped during a sign-in")
    func BIND_04_descriptorThatIsSwappedDuringASignIn() async throws {
        let scenario = Scenario()
        let request = try await Self.flow.client(of: scenario).beginSignIn()
        let encoded = try JSONEncoder().encode(request.pending)
        let pending = try JSONDecoder().decode(PendingAuthorization.self, from: encoded)
        let swapped = Self.flow.provider.replacing("\(Scenario.issuer)/token", with: "\(Self.evil)/token")
        let client = try Self.flow.of(swapped).client(of: scenario)
        let error = await expectRefusal(.bindingMismatch, at: .tokenRequest) {
            try await client.completeSignIn(scenario.callback(request), for: pending)
        }
        #expect(error?.hint?.contains("begin the sign-in again") == true)
        #expect(scenario.count("/token") == 0)
        // The attempt is not used up.
        _ = try await Self.flow.client(of: scenario).completeSignIn(scenario.callback(request), for: pending)
    }

    @Test("BIND-05: Refresh token of an earlier sign-in")
    func BIND_05_refreshTokenOfAnEarlierSignIn() async throws {
        let scenario = Scenario()
        let session = try await Self.flow.client(of: scenario).signIn(at: scenario)
        let old = try #require(try await session.storedTokens().refreshToken)
        try await scenario.turnHostile()
        // It says that the same user signed in at the same issuer, and gives no refresh token.
        scenario.change { script in
            script.token["refresh_token"] = nil
            script.elsewhere["\(Self.evil)/token"] = script.token
            script.elsewhere["\(Self.evil)/jwks"] = script.keys
        }
        let swapped = Self.flow.provider.replacing("\(Scenario.issuer)/token", with: "\(Self.evil)/token")
            .replacing("\(Scenario.issuer)/jwks", with: "\(Self.evil)/jwks")
        let client = try Self.flow.of(swapped).client(of: scenario)
        let again = try await client.signIn(at: scenario)
        #expect(again.key == session.key)
        #expect(try await again.storedTokens().refreshToken == nil)
        await expectRefusal(.noRefreshToken) { try await again.refresh() }
        #expect(!scenario.hostileLog.contains { $0.body.contains(old.reveal()) })
    }

    @Test("BIND-05: Refresh token stays with its servers")
    func BIND_05_refreshTokenStaysWithItsServers() async throws {
        let scenario = Scenario()
        let session = try await Self.flow.client(of: scenario).signIn(at: scenario)
        let old = try await session.storedTokens().refreshToken
        scenario.change { $0.token["refresh_token"] = nil }
        let renamed = Self.flow.provider.replacing("name: Acme", with: "name: Acme Two")
        let again = try await Self.flow.of(renamed).client(of: scenario).signIn(at: scenario)
        #expect(try await again.storedTokens().refreshToken == old)
    }

    @Test("BIND-06: Token endpoint at the API")
    func BIND_06_tokenEndpointAtTheAPI() async throws {
        let edited = try await edited("\(Scenario.issuer)/token", "https://api.acme.example/token")
        await expectRefusal(.bindingMismatch, at: .refresh) { try await edited.session.refresh() }
        #expect(edited.scenario.hostileLog.isEmpty)
        // The access token may go there.
        _ = try await edited.session.send(HTTPRequest(url: "https://api.acme.example/resource"))
    }

    @Test("BIND-07: Secret of a client")
    func BIND_07_secretOfAClient() async throws {
        let scenario = Scenario()
        let swapped = Self.flow.provider.replacing("\(Scenario.issuer)/token", with: "\(Self.evil)/token")
        let bound = Self.flow.of(swapped).registered { $0.origins = [Scenario.issuer] }
        let client = try bound.client(of: scenario)
        let error = await expectRefusal(.bindingMismatch, at: .tokenRequest) { try await client.signIn(at: scenario) }
        #expect(error?.message.contains("the client client") == true)
        await expectRefusal(.bindingMismatch, at: .clientCredentials) {
            try await client.tokens(for: .clientCredentials())
        }
        await expectRefusal(.bindingMismatch, at: .tokenExchange) {
            try await client.exchange(TokenExchange(TokenExchange.TypedToken(Secret("of-somebody-else"))))
        }
        #expect(scenario.log.isEmpty)
        let good = try Self.flow.registered { $0.origins = ["\(Scenario.issuer)/"] }.client(of: scenario)
        _ = try await good.signIn(at: scenario)
    }

    /// A client that registered itself remembers where.
    @Test("BIND-07: Secret of a client that registered itself")
    func BIND_07_secretOfAClientThatRegisteredItself() async throws {
        let scenario = Scenario()
        let registering = Flow.signIn.provider
        let metadata = ClientMetadata(redirectURIs: [Scenario.redirectURI])
        let provider = try Flow.signIn.of(registering).client(of: scenario).provider
        let registrar = ClientRegistrar(transport: scenario)
        let registered = try await registrar.register(metadata, at: try await registrar.discovered(provider))
        #expect(registered.origins == ["https://id.acme.example:443"])
        let kept = try JSONDecoder().decode(RegisteredClient.self, from: try JSONEncoder().encode(registered))
        let registration = ClientRegistration(kept, of: metadata)
        let moved = Flow.signIn.of(Self.flow.provider.replacing("\(Scenario.issuer)/token", with: "\(Self.evil)/token"))
        let client = try moved.registered { $0.origins = registration.origins }.client(of: scenario)
        await expectRefusal(.bindingMismatch, at: .tokenRequest) { try await client.signIn(at: scenario) }
        #expect(scenario.log.allSatisfy { !$0.url.hasPrefix(Self.evil) })
    }

    @Test("BIND-08: Record without a binding")
    func BIND_08_recordWithoutABinding() async throws {
        let scenario = Scenario()
        let key = try await Self.flow.client(of: scenario).signIn(at: scenario).key
        let record = try #require(try await scenario.store.load(key)?.connection)
        var members = try #require(
            try JSONSerialization.jsonObject(with: try JSONEncoder().encode(record)) as? [String: Any])
        #expect(members.removeValue(forKey: "binding") != nil)
        let unbound = try JSONSerialization.data(withJSONObject: members)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Connection.self, from: unbound) }
    }

    @Test("BIND-08: Record of another issuer")
    func BIND_08_recordOfAnotherIssuer() async throws {
        let scenario = Scenario()
        let key = try await Self.flow.client(of: scenario).signIn(at: scenario).key
        try await scenario.turnHostile()
        let other = Self.flow.provider.replacing("issuer: \(Scenario.issuer)", with: "issuer: \(Self.evil)")
        let session = try #require(try await Self.flow.of(other).client(of: scenario).session(for: key.account))
        let error = await expectRefusal(.bindingMismatch, at: .refresh) { try await session.refresh() }
        #expect(error?.descriptorKey == "issuer")
        await expectRefusal(.bindingMismatch, at: .profile) { try await session.profile() }
        #expect(scenario.hostileLog.isEmpty)
    }

    private static let acme = SourceFile(path: "acme.yaml", text: flow.provider)
    private static let stolen = SourceFile(
        path: "providers/acme.yaml", text: flow.provider.replacing("id.acme.example", with: "evil.example"))

    @Test("BIND-09: Folder that nobody named")
    func BIND_09_folderThatNobodyNamed() throws {
        let child = SourceFile(
            path: "providers/child.yaml", text: "carnet: 1\nid: child\nname: Child\nextends: acme\n")
        // Whichever comes first.
        for guestsFirst in [true, false] {
            var registry = ProviderRegistry()
            if !guestsFirst { registry.add([Self.acme], origin: .builtIn) }
            registry.add([Self.stolen, child], origin: .folder("providers"), overriding: false)
            if guestsFirst { registry.add([Self.acme], origin: .builtIn) }
            let issuers = try ["acme", "child"].map { try registry.descriptor(ProviderID(rawValue: $0)).issuer?.source }
            #expect(issuers == [Scenario.issuer, Scenario.issuer], "also as a parent")
            #expect(registry.refused.map(\.document.file) == [Self.stolen])
            #expect(registry.hidden.isEmpty && registry.broken.isEmpty)
        }
    }

    /// What is named never extends what is not, and a file with errors keeps its id.
    @Test("BIND-09: Parent that nobody named")
    func BIND_09_parentThatNobodyNamed() throws {
        let child = SourceFile(path: "home/child.yaml", text: "carnet: 1\nid: child\nname: Child\nextends: acme\n")
        let broken = SourceFile(path: "home/globex.yaml", text: "carnet: 1\nid: globex\nnam: Globex\n")
        let globex = SourceFile(
            path: "providers/globex.yaml", text: Self.stolen.text.replacing("id: acme", with: "id: globex"))
        var registry = ProviderRegistry()
        registry.add([child, broken], origin: .folder("home"))
        registry.add([Self.stolen, globex], origin: .folder("providers"), overriding: false)
        #expect(registry.ids == ["acme"])
        #expect(Set(registry.broken.map(\.file)) == [child, broken])
        #expect(registry.refused.map(\.document.file) == [globex])
    }

    /// A file without an id and one that cannot be read may have any id.
    @Test("BIND-09: Named file of unknown id")
    func BIND_09_namedFileOfUnknownID() throws {
        var registry = ProviderRegistry()
        registry.add([SourceFile](), origin: .folder("home"))
        registry.add([Self.stolen], origin: .folder("providers"), overriding: false)
        #expect(registry.ids == ["acme"])
        let broken = SourceFile(path: "home/acme.yaml", text: "carnet: 1\nid: acme\nname: [Acme\n")
        let unreadable = SourceFileError(path: "home/acme.yaml", reason: .permissionDenied)
        let places = [
            registry.replacing(.folder("home"), with: [broken]),
            registry.replacing(.folder("home"), with: [SourceFile](), unreadable: [unreadable]),
        ]
        for registry in places {
            #expect(registry.ids.isEmpty && registry.withheld.map(\.document.file) == [Self.stolen])
            #expect(registry.written(inFamiliesOf: ["acme"]).allSatisfy { $0.file != Self.stolen })
            let repaired = registry.replacing(.folder("home"), with: [SourceFile]())
            #expect(repaired.ids == ["acme"] && repaired.withheld.isEmpty)
        }
        // What cannot be read in the folder itself takes no id from it.
        let own = registry.replacing(.folder("providers"), with: [Self.stolen], unreadable: [unreadable])
        #expect(own.ids == ["acme"])
        #expect(throws: SourceFileError.self) { try registry.add(folder: "/not-mounted") }
        #expect(registry.ids.isEmpty)
    }

    /// The folder is read again while a server runs, and has become what it was not.
    @Test("BIND-09: Folder that is read again")
    func BIND_09_folderThatIsReadAgain() throws {
        var registry = ProviderRegistry()
        registry.add([Self.acme], origin: .builtIn)
        registry.add([SourceFile](), origin: .folder("providers"), overriding: false)
        let again = registry.replacing(.folder("providers"), with: [Self.stolen])
        #expect(try again.descriptor("acme").issuer?.source == Scenario.issuer)
        #expect(again.refused.map(\.document.file) == [Self.stolen])
        #expect(again.replacing(.folder("providers"), with: [SourceFile]()).refused.isEmpty)
    }
}
