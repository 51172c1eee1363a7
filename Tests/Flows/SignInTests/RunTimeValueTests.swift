// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Some tests are named by the rows of the attack matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetSandbox
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// What a hostile callback or response can do with values that are known only at run time, and what a failure leaves.
@Suite("Values known only at run time")
struct RunTimeValueTests {
    @Test(
        "the sandbox refuses a request that lacks what the descriptor adds",
        arguments: [
            "token: { parameters: { state: '{callback.state}' } }",
            "token: { headers: { timestamp: '{now()}' } }",
            "token: { headers: { sign: '{hmac_sha256(client.secret, request.body)}' } }",
            "authorization: { parameters: { at: '{now()}' } }",
        ])
    func strictness(keys: String) async throws {
        let odd = try SignInFixture(odd: keys, secret: "hush")
        let plain = try OAuthClient(
            try oddProvider(""), registration: odd.client.registration,
            transport: SandboxTransport(odd.sandbox), clock: odd.clock)
        let request = try await plain.beginSignIn()
        do {
            let callback = try await odd.sandbox.approve(authorizationURL: request.url)
            _ = try await plain.completeSignIn(AuthorizationCallback(url: callback), for: request.pending)
            Issue.record("the sandbox took a request without \(keys)")
        } catch let error as OAuthError {
            #expect(error.kind == .serverError)
        } catch {
            #expect("\(error)".isEmpty == false)
        }
    }

    @Test(
        "a callback that names another host is refused before anything is sent",
        arguments: [
            "evil.example", "shops.example.evil.example", "evil.example%2Fx.shops.example", "a.shops.example:8443",
            "a@evil.example", "a.shops.example%23", "",
        ],
        // The metadata's endpoint is no substitute.
        ["", "issuer: https://odd.example\nid_token: { algorithms: [ES256] }\nscopes: { default: [openid] }\n"])
    func hostileHost(shop: String, metadata: String) async throws {
        let fixture = try SignInFixture(
            odd: metadata + """
                callback: { capture: { shop: { pattern: '.*', example: acme.shops.example, optional: true } } }
                trusted_hosts: ['*.shops.example']
                endpoints:
                  authorization: https://odd.example/authorize
                  token: 'https://{callback.shop}/token'
                """
        )
        let request = try await fixture.client.beginSignIn()
        let callback = try await fixture.sandbox.approve(authorizationURL: request.url)
            .replacing("shop=acme.shops.example", with: "shop=\(shop)")
        let error = try await #require(throws: OAuthError.self) {
            try await fixture.client.completeSignIn(AuthorizationCallback(url: callback), for: request.pending)
        }
        #expect(error.kind == .missingEndpoint)
        #expect(await fixture.requests(to: .token).isEmpty)
    }

    @Test("a value that does not fit its pattern ends the sign-in, and is not repeated")
    func badValue() async throws {
        let fixture = try SignInFixture(
            odd: "callback: { capture: { realm: { pattern: '[0-9]+', example: '12' } } }")
        let request = try await fixture.client.beginSignIn()
        let callback = try await fixture.sandbox.approve(authorizationURL: request.url)
            .replacing("realm=12", with: "realm=..%2Fadmin")
        let error = try await #require(throws: OAuthError.self) {
            try await fixture.client.completeSignIn(AuthorizationCallback(url: callback), for: request.pending)
        }
        #expect(error.kind == .valueRefused)
        #expect(error.descriptorKey == "callback.capture.realm")
        #expect(!"\(error)".contains("admin"))
    }

    @Test("a base URL at a host that is not trusted opens no resource")
    func untrustedBase() async throws {
        let fixture = try SignInFixture(
            odd: """
                token: { response: { capture: { api: { from: /api, example: 'https://evil.example' } } } }
                trusted_hosts: ['*.odd.example']
                api: { base_url: '{token.api}' }
                resources: [{ scope: read, title: Me, url: /me }]
                """, isLinted: false
        )
        #expect(try await fixture.signIn().resources().isEmpty)
    }

    @Test("a client without a user has each resource whose URL its registration or its token response fills")
    func resourcesWithoutAUser() async throws {
        let fixture = try SignInFixture(
            odd: """
                inputs: { region: { enum: [uk, nl], default: uk } }
                tables: { hosts: { nl: nl.odd.example, uk: uk.odd.example } }
                token:
                  response:
                    capture:
                      api: { from: /api, example: 'https://shard.odd.example' }
                      site: { from: /site, optional: true }
                trusted_hosts: [shard.odd.example]
                client_credentials: {}
                connection: { derive: { versioned: '{connection.base}/v1', base: '{token.api}' } }
                resources:
                  - { title: Mapped, url: "https://{map(region, 'hosts')}/user" }
                  - { title: Own, url: 'https://api.odd.example/{client.id}' }
                  - { title: Shard, url: '{token.api}/me' }
                  - { title: Derived, url: '{connection.versioned}/me' }
                  - { title: Site, url: '{token.site}/me' }
                """, secret: "hush")
        let grant = ClientGrant.clientCredentials()
        let map = try await fixture.client.resourceMap(with: grant)
        #expect(
            map.resources.map(\.url) == [
                "https://uk.odd.example/user", "https://api.odd.example/client", "https://shard.odd.example/me",
                "https://shard.odd.example/v1/me",
            ])
        #expect(map.unknown.map(\.names) == [["Site"]])
        #expect(map.unknown.first?.reason == "the value {token.site} is not known")
        for resource in map.resources {
            #expect(try await fixture.client.send(try HTTPRequest(for: resource), with: grant).status == 200)
        }
    }

    @Test("a map of a host's own takes functions of inputs, and values of the registration")
    func mapOfFunctions() throws {
        let fixture = try SignInFixture(
            odd: """
                inputs: { region: { enum: [uk, nl], default: nl } }
                tables: { hosts: { nl: nl.odd.example, uk: uk.odd.example } }
                api: { base_url: "https://{map(region, 'hosts')}/api" }
                """)
        let file = SourceFile(path: "map.yaml", text: "- { title: Me, url: /me }\n")
        let map = try fixture.client.resourceMap(file)
        #expect(map.resources.map(\.url) == ["https://nl.odd.example/api/me"])
    }

    @Test("an endpoint whose URL cannot be filled is an error that names it, and no other endpoint gets the token")
    func unfilledEndpoints() async throws {
        let fixture = try SignInFixture(
            odd: """
                endpoints:
                  authorization: https://odd.example/authorize
                  token: https://odd.example/token
                  refresh: 'https://odd.example/{token.site}/refresh'
                  revocation: 'https://odd.example/{token.site}/revoke'
                token: { response: { capture: { site: { from: /site, optional: true } } } }
                """, isLinted: false)
        let session = try await fixture.signIn()
        let error = try await #require(throws: OAuthError.self) { try await session.refresh() }
        #expect(error.kind == .missingEndpoint && error.descriptorKey == "endpoints.refresh", "\(error)")
        #expect(await fixture.requests(to: .token).count == 1)
        let outcome = try await session.signOut(.revoke)
        #expect(outcome.failures.map(\.descriptorKey) == ["endpoints.revocation"])
        #expect(!outcome.isRevoked)
    }

    @Test("a request without the token has no proof of its key")
    func noProofWithoutToken() async throws {
        let fixture = try SignInFixture(
            odd: """
                endpoints:
                  authorization: https://odd.example/authorize
                  token: https://odd.example/token
                  userinfo: https://api.odd.example/users/{token.user}
                client: { dpop_bound_access_tokens: true }
                token: { response: { capture: { user: { from: /user, example: u1 } } } }
                profile: { token_in: { none: The profile is public. }, claims: { subject: /id } }
                """)
        #expect(try await fixture.signIn().profile().subject != nil)
        let request = try #require(await fixture.requests(to: .userinfo).last)
        #expect(request.headers[.authorization] == nil)
        #expect(HTTPField.Name("DPoP").flatMap { request.headers[$0] } == nil)
    }

    @Test(
        "a server that refuses a request without the token has not refused the token",
        arguments: [
            ("Basic", .unexpectedStatus), ("Bearer error=\"invalid_token\"", .serverError),
            ("Bearer error=\"insufficient_scope\", scope=\"all\"", .serverError),
            ("DPoP error=\"use_dpop_nonce\"", .serverError),
        ] as [(String, OAuthError.Kind)])
    func refusalWithoutToken(challenge: String, kind: OAuthError.Kind) async throws {
        let fixture = try SignInFixture(
            odd: """
                endpoints:
                  authorization: https://odd.example/authorize
                  token: https://odd.example/token
                  userinfo: https://api.odd.example/users/{token.user}
                client: { dpop_bound_access_tokens: true }
                token: { response: { capture: { user: { from: /user, example: u1 } } } }
                profile: { token_in: { none: The profile is public. }, claims: { subject: /id } }
                connection:
                  lookups:
                    site:
                      url: https://api.odd.example/sites
                      token_in: { none: The list is public. }
                      optional: true
                      value: /id
                      sample: { id: s1 }

                """)
        let network = SandboxTransport(fixture.sandbox)
        let nonce = try #require(HTTPField.Name("DPoP-Nonce"))
        let transport = ScriptedTransport { request in
            guard request.head.authority == "api.odd.example" else {
                return try await network.send(request, limits: TransportLimits())
            }
            let fields: HTTPFields = [.wwwAuthenticate: challenge, nonce: "n1"]
            return IncomingResponse(head: HTTPResponse(status: .unauthorized, headerFields: fields), body: [])
        }
        let client = try OAuthClient(
            fixture.client.descriptor, registration: fixture.client.registration, transport: transport,
            clock: fixture.clock)
        let request = try await client.beginSignIn()
        let callback = try await fixture.sandbox.approve(authorizationURL: request.url)
        // The optional lookup is one of the refused requests.
        let session = try await client.completeSignIn(
            AuthorizationCallback(url: callback), for: request.pending, account: "ada")
        #expect(try await session.storedTokens().refreshToken != nil)
        let before = transport.requests.count
        let error = await #expect(throws: OAuthError.self) { try await session.profile() }
        #expect(error?.kind == kind && error?.step == .profile && error?.status == 401)
        #expect(error?.disposition == .fixConfiguration)
        #expect(error?.message == "the server refused a request without the access token")
        #expect(transport.requests.dropFirst(before).map(\.head.path) == ["/users/u1"])
    }

    @Test(
        "the sandbox refuses any token in a request without one, and shows the profile after another sign-in has ended")
    func publicProfileOfTwoSignIns() async throws {
        let fixture = try SignInFixture(
            odd: """
                endpoints:
                  authorization: https://odd.example/authorize
                  token: https://odd.example/token
                  revocation: https://odd.example/revoke
                  userinfo: https://api.odd.example/users/{token.user}
                token: { response: { capture: { user: { from: /user, example: u1 } } } }
                profile: { token_in: { none: The profile is public. }, claims: { subject: /id } }
                """)
        func signIn(as account: String) async throws -> Session {
            let request = try await fixture.client.beginSignIn()
            let callback = try await fixture.sandbox.approve(authorizationURL: request.url)
            return try await fixture.client.completeSignIn(
                AuthorizationCallback(url: callback), for: request.pending, account: account)
        }
        let first = try await signIn(as: "first")
        let second = try await signIn(as: "second")
        var request = HTTPRequest(url: "https://api.odd.example/users/u1")
        request.headerFields[.authorization] = "Bearer \(try await first.tokens().accessToken.reveal())"
        #expect(await fixture.sandbox.respond(to: request, body: []).0.status == .badRequest)
        #expect(try await second.signOut(.revoke).isRevoked)
        #expect(try await first.profile().subject != nil)
    }

    @Test(
        "a profile without the token is refused if no value of the token response says whose it is",
        arguments: ["me", "{client.id}", "{token.scope}", "{callback.user}"])
    func profileOfNobody(path: String) throws {
        let odd = try oddProvider(
            """
            endpoints:
              authorization: https://odd.example/authorize
              token: https://odd.example/token
              userinfo: 'https://odd.example/\(path)'
            callback: { capture: { user: { pattern: '[a-z]+', example: ada } } }
            profile: { token_in: { none: It is public. }, claims: { subject: /id } }
            """, isLinted: false)
        let error = #expect(throws: ResolutionError.self) { try odd.resolve() }
        #expect(error?.kind == .unprotected && error?.key == "profile.token_in")
    }

    @Test(
        "a profile whose URL the metadata names is not requested without the token",
        arguments: [("required", "", true), ("none", "", false), ("required", ", from: id_token", false)])
    func discoveredProfileOfNobody(discovery: String, source: String, isRefused: Bool) throws {
        let odd = try oddProvider(
            """
            issuer: https://odd.example
            endpoints:
              authorization: https://odd.example/authorize
              token: https://odd.example/token
              jwks: https://odd.example/keys
            discovery: \(discovery)
            profile: { token_in: { none: It is public. }\(source) }
            """, isLinted: false)
        guard isRefused else {
            _ = try odd.resolve()
            return
        }
        let error = #expect(throws: ResolutionError.self) { try odd.resolve() }
        #expect(error?.kind == .unprotected && error?.key == "profile.token_in")
    }

    @Test(
        "the token is left out only with a reason, and only where a request may be public",
        arguments: [
            "profile: { token_in: none }", "api: { token_in: { none: It is public. } }",
            "revocation: { token_in: { none: It is public. } }",
        ])
    func tokenInNone(keys: String) {
        let text = "carnet: 1\nid: odd\nname: Odd\nissuer: https://odd.example\n\(keys)\n"
        let document = DescriptorDocument(SourceFile(path: "odd.yaml", text: text))
        #expect(document.diagnostics.contains { $0.severity == .error }, "\(document.diagnostics)")
    }

    @Test("values that double from one to the next end at the longest that is kept, in any order")
    func doublingValues() async throws {
        let doubled = (1..<32).reversed().map { "    a\($0): '{connection.a\($0 - 1)}{connection.a\($0 - 1)}'\n" }
        let fixture = try SignInFixture(
            odd: """
                token: { response: { capture: { site: { from: /site, example: abcd } } } }
                connection:
                  derive:
                \(doubled.joined())    a0: '{token.site}'
                """, isLinted: false)
        let error = try await #require(throws: OAuthError.self) { try await fixture.signIn() }
        // 4 bytes, doubled eleven times, are the 8192 that may be kept.
        #expect(error.kind == .valueMissing && error.descriptorKey == "connection.derive.a12", "\(error)")
    }

    @Test(
        "UI-13: no candidate meets a condition that cannot be built, of an input or of a sign-in",
        arguments: ["input", "token"], [false, true])
    func UI_13_unbuiltCondition(origin: String, isOptional: Bool) async throws {
        let value = origin == "input" ? "team" : "token.team"
        let fixture = try SignInFixture(
            odd: """
                inputs: { team: {} }
                token: { response: { capture: { team: { from: /team, example: blue } } } }
                connection:
                  lookups:
                    site:
                      url: https://api.odd.example/sites
                      where: { team: "{capture(\(value), 'team-([a-z]+)')}" }
                      value: /id
                      choose: first
                      optional: \(isOptional)
                      sample: [{ id: 1, team: red }]

                """, inputs: ["team": "blue"], isLinted: false)
        guard !isOptional else {
            let session = try await fixture.signIn()
            #expect(try await session.connectionValues()["connection.site"] == nil)
            return
        }
        let error = try await #require(throws: OAuthError.self) { try await fixture.signIn() }
        #expect(error.kind == .valueMissing && error.descriptorKey == "connection.lookups.site.where", "\(error)")
    }

    @Test("UI-13: a further request brings nothing where its condition cannot be built of an input")
    func UI_13_unbuiltConditionOfProfile() async throws {
        let fixture = try SignInFixture(
            odd: """
                inputs: { team: {} }
                endpoints:
                  authorization: https://odd.example/authorize
                  token: https://odd.example/token
                  userinfo: https://api.odd.example/me
                profile:
                  claims: { subject: /id }
                  requests:
                    - url: https://api.odd.example/mails
                      where: { team: "{capture(team, 'team-([a-z]+)')}" }
                      claims: { email: /email }
                      sample: [{ email: eve@odd.example, team: red }]
                samples: { userinfo: { id: 1 } }

                """, inputs: ["team": "blue"], isLinted: false)
        let profile = try await fixture.signIn().profile()
        #expect(profile.subject == "1" && profile.email == nil)
    }

    @Test("a lookup that fails keeps the tokens, says its name, and can be made again")
    func failingLookup() async throws {
        let fixture = try SignInFixture(
            odd: """
                connection:
                  lookups:
                    site:
                      url: https://api.odd.example/sites
                      root: /sites
                      value: /id
                      choose: ask
                      sample: { sites: [{ id: 1 }, { id: 2 }] }
                """
        )
        let error = try await #require(throws: OAuthError.self) { try await fixture.signIn() }
        #expect(error.step == .connection)
        #expect(error.kind == .choiceNeeded)
        #expect(error.descriptorKey == "connection.lookups.site.choose")
        let account = try #require(await fixture.store.keys().first).account
        let session = try #require(try await fixture.client.session(for: account))
        #expect(try await session.tokens().accessToken.isEmpty == false)
        try await session.connect { _ in "2" }
        #expect(try await session.connectionValues()["connection.site"]?.text == "2")
    }
}
