import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// Clients of resources that nobody configured. The names in comments are those of the scenarios for clients in
/// https://github.com/modelcontextprotocol/conformance.
@Suite("Discovery by a resource")
struct ResourceDiscoveryTests {
    private static let resource = ScriptedHosts.resource
    private static let wellKnown = "https://api.example/.well-known/oauth-protected-resource"

    struct Place: Sendable, CustomTestStringConvertible {
        var scenario: String
        var document: String
        var isInChallenge: Bool
        var issuer: String
        var metadata: String
        var requested: [String]

        var testDescription: String { scenario }
    }

    private static let places = [
        Place(
            scenario: "auth/metadata-default", document: "\(wellKnown)/mcp", isInChallenge: true,
            issuer: ScriptedHosts.issuer, metadata: "/.well-known/oauth-authorization-server",
            requested: [resource, "\(wellKnown)/mcp", "https://id.example/.well-known/oauth-authorization-server"]),
        Place(
            scenario: "auth/metadata-var1", document: "\(wellKnown)/mcp", isInChallenge: false,
            issuer: ScriptedHosts.issuer, metadata: "/.well-known/openid-configuration",
            requested: [
                resource, "\(wellKnown)/mcp", "https://id.example/.well-known/oauth-authorization-server",
                "https://id.example/.well-known/openid-configuration",
            ]),
        Place(
            scenario: "auth/metadata-var2", document: wellKnown, isInChallenge: false,
            issuer: "https://id.example/tenant1", metadata: "/.well-known/oauth-authorization-server/tenant1",
            requested: [
                resource, "\(wellKnown)/mcp", wellKnown,
                "https://id.example/.well-known/oauth-authorization-server/tenant1",
            ]),
        Place(
            scenario: "auth/metadata-var3", document: "https://api.example/custom/metadata/location.json",
            isInChallenge: true, issuer: "https://id.example/tenant1",
            metadata: "/tenant1/.well-known/openid-configuration",
            requested: [
                resource, "https://api.example/custom/metadata/location.json",
                "https://id.example/.well-known/oauth-authorization-server/tenant1",
                "https://id.example/.well-known/openid-configuration/tenant1",
                "https://id.example/tenant1/.well-known/openid-configuration",
            ]),
    ]

    @Test("The metadata is found in each place, in the order of the standards", arguments: places)
    func metadataInEachPlace(_ place: Place) async throws {
        let hosts = ScriptedHosts(issuer: place.issuer, metadata: place.metadata)
        hosts.challenge(place.isInChallenge ? #"resource_metadata="\#(place.document)""# : "")
        let named = place.document == Self.wellKnown ? "https://api.example" : Self.resource
        hosts.on(place.document, json: ScriptedHosts.document(named, issuer: place.issuer))
        let client = try await hosts.client()
        // A resource that says nothing to a GET is asked with a POST.
        let places = hosts.urls.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        #expect(places.prefix(place.requested.count) == place.requested[...])
        let session = try await hosts.signIn(client, issuer: place.issuer)
        #expect(try await session.send(HTTPRequest(url: Self.resource)).status == 200)
        #expect(hosts.forms("\(place.issuer)/token").first?["resource"] == named)
    }

    // https://github.com/PrefectHQ/fastmcp/issues/1867
    @Test("A resource that redirects to its URL with a slash is asked there", arguments: [resource, resource + "/"])
    func redirectedResource(_ named: String) async throws {
        let hosts = ScriptedHosts()
        hosts.on(Self.resource) { request in
            var response = IncomingResponse.json("", status: 307)
            response.head.headerFields[.location] = "/mcp/"
            return request.head.headerFields[.authorization] == nil ? response : .json("{}")
        }
        hosts.challenge(#"resource_metadata="https://api.example/metadata""#, at: Self.resource + "/")
        hosts.on("https://api.example/metadata", json: ScriptedHosts.document(named))
        let session = try await hosts.signIn(try await hosts.client(), issuer: ScriptedHosts.issuer)
        #expect(try await session.send(HTTPRequest(url: Self.resource)).status == 200)
        #expect(hosts.forms("\(ScriptedHosts.issuer)/token").first?["resource"] == named)
    }

    @Test("A resource that redirects elsewhere is not asked there, and what is there is another resource")
    func resourceThatLeadsElsewhere() async throws {
        for target in ["/other", "/mcp/x", "https://api.example/mcp?a=/", "https://other.example/mcp/"] {
            let hosts = ScriptedHosts()
            hosts.on(Self.resource) { _ in
                var response = IncomingResponse.json("", status: 307)
                response.head.headerFields[.location] = target
                return response
            }
            hosts.challenge(#"resource_metadata="https://api.example/metadata""#, at: "https://api.example/other")
            hosts.on("https://api.example/metadata", json: ScriptedHosts.document("https://api.example/other"))
            await #expect(throws: OAuthError.self) { try await hosts.client() }
            #expect(!hosts.urls.contains { $0.hasSuffix("/other") || $0.contains("other.example") }, "\(hosts.urls)")
        }
    }

    @Test("A host needs one call, and has a session after a sign-in")
    func aHostNeedsOneCall() async throws {
        let hosts = ScriptedHosts()
        hosts.challenge()
        hosts.on("\(Self.wellKnown)/mcp", json: ScriptedHosts.document(Self.resource, scopes: ["read"]))
        let client = try await hosts.client()
        let session = try await hosts.signIn(client)
        _ = try await session.send(HTTPRequest(url: Self.resource))
        #expect(hosts.requests(to: Self.resource).last?.head.headerFields[.authorization] == "Bearer access-1")
        try await session.refresh()
        let forms = hosts.forms("https://id.example/token")
        #expect(forms.map { $0["grant_type"] } == ["authorization_code", "refresh_token"])
        #expect(forms.allSatisfy { $0["resource"] == Self.resource })
        #expect(hosts.count("https://id.example/register") == 1)
        #expect(session.key.account == "default", "no profile is asked for with a token of the resource")
    }

    @Test("A descriptor with a resource needs no more than four lines")
    func aDescriptorWithAResource() async throws {
        let hosts = ScriptedHosts()
        hosts.challenge()
        hosts.on("\(Self.wellKnown)/mcp", json: ScriptedHosts.document(Self.resource))
        let yaml = "carnet: 1\nid: mine\nname: Mine\nresource: \(Self.resource)\n"
        let client = try OAuthClient(
            try Fixture.descriptor(yaml),
            registration: ClientRegistration(clientID: "client", redirectURI: "http://127.0.0.1/callback"),
            transport: hosts, clock: hosts.clock)
        let session = try await hosts.signIn(client)
        #expect(try await session.send(HTTPRequest(url: Self.resource)).status == 200)
        #expect(hosts.forms("https://id.example/token").first?["client_id"] == "client")
        let found = hosts.urls.count { $0.contains("well-known") }
        hosts.clock.advance(by: .seconds(3599))
        _ = try await client.beginSignIn()
        #expect(hosts.urls.count { $0.contains("well-known") } == found, "the metadata is cached")
    }

    // auth/scope-from-www-authenticate, auth/scope-from-scopes-supported, auth/scope-omitted-when-undefined,
    // auth/offline-access-scope, auth/offline-access-not-supported.
    @Test(
        "Scopes are those of the challenge, else those of the metadata, with offline_access if the server announces it",
        arguments: [
            (#"scope="a b""#, ["c"], nil, "a b"), ("", ["c", "d"], nil, "c d"), ("", nil, nil, nil),
            (#"scope="a""#, nil, ["a", "offline_access"], "a offline_access"),
            ("", ["c"], ["c", "offline_access"], "c offline_access"), ("", ["c"], ["c", "d"], "c"),
            ("", nil, ["offline_access"], nil), ("", ["offline_access"], ["offline_access"], "offline_access"),
        ] as [(String, [String]?, [String]?, String?)])
    func scopes(_ challenge: String, _ supported: [String]?, _ announced: [String]?, _ expected: String?) async throws {
        let hosts = ScriptedHosts()
        hosts.challenge(challenge)
        hosts.on("\(Self.wellKnown)/mcp", json: ScriptedHosts.document(Self.resource, scopes: supported))
        let list = announced.map { JSONValue.array($0.map { .string($0) }) }
        hosts.on(
            "https://id.example/.well-known/oauth-authorization-server",
            json: ScriptedHosts.metadata(ScriptedHosts.issuer, ["scopes_supported": list]))
        let client = try await hosts.client()
        let request = try await client.beginSignIn()
        #expect(ScriptedHosts.query(request)["scope"] == expected)
        let short = try await client.beginSignIn(AuthorizationOptions(requestsRefreshToken: false))
        #expect(
            ScriptedHosts.query(short)["scope"]
                == (supported == ["offline_access"]
                    ? expected : expected?.replacingOccurrences(of: " offline_access", with: "")))
        let own = try await client.beginSignIn(AuthorizationOptions(scopes: ["x"], requestsRefreshToken: false))
        #expect(ScriptedHosts.query(own)["scope"] == "x")
    }

    @Test("A challenge that a host has already saves the request for it")
    func aChallengeThatAHostHas() async throws {
        let hosts = ScriptedHosts()
        hosts.on("\(Self.wellKnown)/mcp", json: ScriptedHosts.document(Self.resource, scopes: ["c"]))
        var challenge = IncomingResponse.json("{}", status: 401)
        challenge.head.headerFields[.wwwAuthenticate] = #"Bearer scope="a""#
        let client = try await OAuthClient(
            resource: Self.resource, challenge: challenge,
            registering: AutomaticRegistration(
                ClientMetadata(redirectURIs: ["http://127.0.0.1/callback"], authenticationMethod: .clientSecretBasic),
                transport: hosts),
            transport: hosts, clock: hosts.clock)
        #expect(hosts.count(Self.resource) == 0)
        #expect(ScriptedHosts.query(try await client.beginSignIn())["scope"] == "a")
    }

    // auth/2025-03-26-oauth-metadata-backcompat.
    @Test("A resource without metadata may be its own authorization server")
    func itsOwnServer() async throws {
        let hosts = ScriptedHosts(issuer: "https://api.example")
        hosts.challenge()
        let client = try await hosts.client()
        let session = try await hosts.signIn(client, issuer: "https://api.example")
        #expect(try await session.send(HTTPRequest(url: Self.resource)).status == 200)
    }

    @Test("A resource that says nothing of its server, and demands no token, is an error that says what to write")
    func aResourceThatSaysNothing() async throws {
        let hosts = ScriptedHosts()
        let error = await expectError(.discovery, .missingField) { try await hosts.client() }
        #expect(error?.hint?.contains("write issuer beside resource") == true)
        #expect(!hosts.urls.contains { $0.hasSuffix("/register") })
    }

    private static let document = "https://app.example/client.json"

    private func becoming(
        _ changes: [String: JSONValue?], document: String? = Self.document, store: any TokenStore = MemoryTokenStore()
    ) async throws -> (hosts: ScriptedHosts, client: OAuthClient) {
        let hosts = ScriptedHosts()
        hosts.challenge()
        hosts.on("\(Self.wellKnown)/mcp", json: ScriptedHosts.document(Self.resource))
        hosts.on(
            "https://id.example/.well-known/oauth-authorization-server",
            json: ScriptedHosts.metadata(ScriptedHosts.issuer, changes))
        hosts.on(
            "https://id.example/register", json: #"{"client_id":"registered-1","token_endpoint_auth_method":"none"}"#,
            status: 201)
        let registering = AutomaticRegistration(
            ClientMetadata(redirectURIs: ["http://127.0.0.1/callback"]), document: document, transport: hosts,
            store: store, clock: hosts.clock)
        return (hosts, try await hosts.client(registering: registering))
    }

    // auth/basic-cimd.
    @Test("A server that accepts documents gets the URL of one, and no registration")
    func clientIDDocument() async throws {
        let (hosts, client) = try await becoming(["client_id_metadata_document_supported": true])
        let session = try await hosts.signIn(client)
        #expect(client.registration.clientID == Self.document)
        #expect(hosts.count("https://id.example/register") == 0)
        #expect(hosts.forms("https://id.example/token").first?["client_id"] == Self.document)
        #expect(hosts.requests(to: "https://id.example/token").first?.head.headerFields[.authorization] == nil)
        #expect(try await session.send(HTTPRequest(url: Self.resource)).status == 200)
        let (others, other) = try await becoming([:])
        #expect(other.registration.clientID == "registered-1" && others.count("https://id.example/register") == 1)
        let (_, plain) = try await becoming(["client_id_metadata_document_supported": true], document: nil)
        #expect(plain.registration.clientID == "registered-1")
    }

    // auth/token-endpoint-auth-basic, auth/token-endpoint-auth-post, auth/token-endpoint-auth-none.
    @Test(
        "A client registers the method that the server announces",
        arguments: [
            (["client_secret_basic"], "client_secret_basic"), (["client_secret_post"], "client_secret_post"),
            (["none"], "none"), (["client_secret_basic", "none"], "none"), ([], "none"), (["private_key_jwt"], "none"),
        ])
    func announcedMethod(_ announced: [String], _ expected: String) async throws {
        let hosts = ScriptedHosts()
        hosts.challenge()
        hosts.on("\(Self.wellKnown)/mcp", json: ScriptedHosts.document(Self.resource))
        hosts.on(
            "https://id.example/.well-known/oauth-authorization-server",
            json: ScriptedHosts.metadata(
                ScriptedHosts.issuer,
                announced.isEmpty
                    ? [:] : ["token_endpoint_auth_methods_supported": .array(announced.map { .string($0) })]))
        hosts.on("https://id.example/register") { request in
            let method = (try? JSONValue(parsing: request.body))?["token_endpoint_auth_method"]?.string ?? ""
            let secret = method == "none" ? "" : #""client_secret":"s","#
            return .json(#"{"client_id":"c",\#(secret)"token_endpoint_auth_method":"\#(method)"}"#, status: 201)
        }
        let client = try await hosts.client(
            registering: AutomaticRegistration(
                ClientMetadata(redirectURIs: ["http://127.0.0.1/callback"]), transport: hosts))
        _ = try await hosts.signIn(client)
        #expect(client.registration.authenticationMethod?.rawValue == expected)
        let request = try #require(hosts.requests(to: "https://id.example/token").first)
        #expect((request.head.headerFields[.authorization] != nil) == (expected == "client_secret_basic"))
        #expect((ScriptedProvider.form(of: request)["client_secret"] != nil) == (expected == "client_secret_post"))
    }

    @Test("A server that registers nobody is an error that says what to do")
    func aServerThatRegistersNobody() async throws {
        let error = await expectError(.registration, .missingEndpoint) {
            try await becoming(["registration_endpoint": nil as JSONValue?]).client
        }
        #expect(error?.hint?.contains("http://127.0.0.1/callback") == true, "\(String(describing: error))")
    }

    // auth/authorization-server-migration.
    @Test("A resource with another server gets another client, and never the old one's credentials")
    func anotherServer() async throws {
        let store = MemoryTokenStore()
        let (hosts, client) = try await becoming([:], store: store)
        _ = try await hosts.signIn(client)
        let moved = ScriptedHosts(issuer: "https://new.example")
        moved.challenge()
        moved.on("\(Self.wellKnown)/mcp", json: ScriptedHosts.document(Self.resource, issuer: "https://new.example"))
        moved.on(
            "https://new.example/register", json: #"{"client_id":"other","token_endpoint_auth_method":"none"}"#,
            status: 201)
        let registering = AutomaticRegistration(
            ClientMetadata(redirectURIs: ["http://127.0.0.1/callback"]), transport: moved, store: store)
        let next = try await moved.client(registering: registering)
        #expect(next.registration.clientID == "other" && moved.count("https://new.example/register") == 1)
        #expect(moved.urls.allSatisfy { !$0.hasPrefix("https://id.example") })
        let session = try await moved.signIn(next, issuer: "https://new.example")
        try await session.refresh()
        #expect(moved.forms("https://new.example/token").allSatisfy { $0["client_id"] == "other" })
        // The old server's client is still there for an account that signed in at it.
        #expect(await store.keys().count(where: \.isRegistration) == 2)
    }

    @Test("A document says what a registration would say, and names itself")
    func documentOfAClient() throws {
        let metadata = ClientMetadata(
            redirectURIs: ["http://127.0.0.1/callback"], clientName: "App", authenticationMethod: .clientSecretBasic,
            scopes: ["a", "b"], uris: [.home: "https://app.example/"])
        #expect(
            try metadata.document(at: Self.document)
                == #"{"client_id":"https://app.example/client.json","redirect_uris":["http://127.0.0.1/callback"],"#
                + #""token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"],"#
                + #""response_types":["code"],"client_name":"App","application_type":"native","#
                + #""client_uri":"https://app.example/","scope":"a b"}"#)
        for url in [
            "http://127.0.0.1/c", "https://app.example", "https://app.example/", "https://app.example/c?x=1",
            "https://app.example/a/../c", "https://app.example/./c", "https://app.example/c#x",
            "https://u@app.example/c",
            "client",
        ] {
            expectError(.registration, .badRegistration) { try metadata.document(at: url) }
        }
        expectError(.registration, .badRegistration) {
            try ClientMetadata(redirectURIs: []).document(at: Self.document)
        }
    }

    private static let known = """
        carnet: 1
        id: known
        name: Known
        issuer: https://id.example/{tenant}/v2
        inputs: { tenant: { pattern: '[a-z0-9]+', default: common } }
        scopes: { default: [openid], offline: [offline] }
        authorization: { parameters: { tenant: '{tenant}' }, offline_parameters: { access_type: offline } }
        refresh: { omit: [resource] }

        """

    @Test("What a descriptor says of the issuer is inherited, and where each value comes from is kept")
    func whatIsKnownOfAnIssuer() async throws {
        let issuer = "https://id.example/t1/v2"
        let hosts = ScriptedHosts(issuer: issuer, metadata: "/.well-known/oauth-authorization-server/t1/v2")
        hosts.challenge()
        hosts.on("\(Self.wellKnown)/mcp", json: ScriptedHosts.document(Self.resource, issuer: issuer, scopes: ["c"]))
        var registry = ProviderRegistry()
        registry.add([SourceFile(path: "known.yaml", text: Self.known)])
        let client = try await hosts.client(registry: registry)
        let query = ScriptedHosts.query(try await client.beginSignIn())
        #expect(query["access_type"] == "offline" && query["tenant"] == "t1" && query["scope"] == "c offline")
        let session = try await hosts.signIn(client, issuer: issuer)
        try await session.refresh()
        #expect(hosts.forms("\(issuer)/token").map { $0["resource"] } == [Self.resource, nil])
        let resource = try WebURL(Self.resource)
        let entry = try registry.entry(ofResource: resource, issuer: issuer, scopes: ["c"])
        #expect(entry.document.sources.files.map(\.path) == [Self.resource, "known.yaml"])
        #expect(entry.document.ancestors == ["known"])
        for other in [
            "https://id.example/T1/v2", "https://id.example/t1/v1", "https://id.example//v2", "https://id.example",
        ] {
            #expect(try registry.entry(ofResource: resource, issuer: other).document.ancestors.isEmpty, "\(other)")
        }
    }

    @Test("Each resource has an id of its own, which is the same the next time")
    func ids() throws {
        let urls = [
            "https://api.example/mcp", "https://api.example/mcp/", "https://api.example/MCP", "https://api.example",
            "https://api-example/mcp", "http://127.0.0.1:8000/mcp", "http://[::1]/mcp",
            "https://\(String(repeating: "a.", count: 60))example/",
        ]
        let ids = try urls.map { ProviderRegistry.id(ofResource: try WebURL($0)).rawValue }
        #expect(Set(ids).count == urls.count)
        #expect(ids.allSatisfy(ProviderID.isValid))
        #expect(ids[0] == "api-example-a9e64a2346807ca5")
    }

    @Test(
        "A URL that is none is refused", arguments: ["", "api.example/mcp", "http://api.example/mcp", "https://a/#x"])
    func aURLThatIsNone(_ url: String) async throws {
        #expect(throws: ResolutionError.self) { try ProviderDescriptor(resource: url) }
        await #expect(throws: ResolutionError.self) { try await ScriptedHosts().client(url) }
    }
}
