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

@Suite("REV, LO: ends of a session", .searchedForSecrets)
struct SignOutAttackTests {
    @Test("REV-01: Request")
    func REV_01_request() async throws {
        try await accept(in: .signOut) { scenario, _ in
            for (request, hint) in zip(scenario.requests(to: "/revoke"), ["refresh_token", "access_token"]) {
                #expect(request.method == "POST")
                #expect(request.form["token_type_hint"] == hint)
                #expect(request.form["token"]?.isEmpty == false)
                #expect(request.headers[.authorization]?.hasPrefix("Basic ") == true)
                #expect(request.query.isEmpty)
            }
        }
    }

    @Test("REV-02: Any success is success")
    func REV_02_anySuccessIsSuccess() async throws {
        let responses = [
            ServerResponse.text("", type: "text/plain"), .text("OK", type: "text/html"), .text("{}"),
            .text("{", type: "application/json"),
        ]
        try await accept(in: .signOut, each: responses) {
            $0.revocation = $1
        } check: { scenario, outcome, _ in
            #expect(outcome.signOut?.isRevoked == true)
            let isEmpty = try await scenario.isStoreEmpty()
            #expect(isEmpty)
        }
    }

    @Test("REV-03: Failures")
    func REV_03_failures() async throws {
        let busy = ServerResponse.error("temporarily_unavailable", status: 503)
        try await accept(
            in: .signOut,
            each: [(busy, OAuthError.Disposition.tryLater), (.error("unsupported_token_type"), .fixConfiguration)]
        ) {
            $0.revocation = $1.0
        } check: {
            #expect($1.signOut?.isRevoked == false)
            #expect($1.signOut?.failures.first?.step == .revocation)
            #expect($1.signOut?.failures.first?.disposition == $2.1)
        }
    }

    @Test("REV-04: Tokens are forgotten whatever happens")
    func REV_04_tokensAreForgottenWhateverHappens() async throws {
        try await accept(
            in: .signOut,
            each: [.error("x", status: 500), .fails(.timeout), .error("x", status: 302)] as [ServerResponse]
        ) {
            $0.revocation = $1
        } check: { scenario, outcome, _ in
            let isEmpty = try await scenario.isStoreEmpty()
            #expect(isEmpty)
            #expect(outcome.signOut?.failures.isEmpty == false)
            await expectRefusal(.sessionEnded) { try await outcome.session?.tokens() }
        }
    }

    @Test("REV-05: Refresh token first")
    func REV_05_refreshTokenFirst() async throws {
        let scenario = Scenario()
        let session = try await Flow.signIn.client(of: scenario).signIn(at: scenario)
        let tokens = try await session.storedTokens()
        _ = try await session.signOut(.revoke)
        #expect(
            scenario.requests(to: "/revoke").map { $0.form["token"] }
                == [tokens.refreshToken?.reveal(), tokens.accessToken.reveal()])
    }

    @Test("LO-01: Page of the provider")
    func LO_01_pageOfTheProvider() async throws {
        let scenario = Scenario()
        let session = try await Flow.signIn.client(of: scenario).signIn(at: scenario)
        let idToken = try #require(try await session.storedTokens().idToken).reveal()
        let url = try #require(try await session.signOut(.everywhere).endSessionURL).reveal()
        let query = Dictionary(
            uniqueKeysWithValues: try #require(PercentEncoding.decodeForm(String(url.drop { $0 != "?" }.dropFirst())))
                .map { ($0.name, $0.value) })
        #expect(url.hasPrefix("https://id.acme.example/logout?"))
        #expect(query["id_token_hint"] == idToken)
        #expect(query["client_id"] == Scenario.clientID)
    }

    @Test("LO-02: Return that is forged")
    func LO_02_returnThatIsForged() async throws {
        let scenario = Scenario()
        let landing = "https://app.example/signed-out"
        let client = try Flow.signIn.registered { $0.postLogoutRedirectURI = landing }.client(of: scenario)
        let outcome = try await client.signIn(at: scenario).signOut(.everywhere)
        let state = try #require(outcome.endSessionState).reveal()
        scenario.remember([state])
        func isReturn(_ query: String) -> Bool {
            EndSessionRequest.isReturn(
                AuthorizationCallback(url: landing + query), state: Secret(state), at: client.provider)
        }
        #expect(isReturn("?state=\(state)"))
        for query in ["", "?state=", "?state=x", "?state=\(state)&state=\(state)", "?state=%zz", "?State=\(state)"] {
            #expect(!isReturn(query), "\(query)")
        }
        #expect(try await scenario.isStoreEmpty())
    }

    /// Whoever comes to the page where the provider leads back changes nothing.
    @Test("LO-02: Return of nobody", arguments: ["", "?state=x", "?state=&state=", "?error=access_denied", "?%zz"])
    func LO_02_returnOfNobody(query: String) async throws {
        let site = try Site()
        var browser = Browser(site)
        _ = try await browser.signIn()
        let reply = try await browser.get("/signed-out\(query)")
        #expect(reply.head.status == .ok)
        #expect(try await site.web.liveSession(of: browser.request()) != nil)
        #expect(site.scenario.count("/revoke") == 0)
    }

    @Test("LO-03: Provider that is down")
    func LO_03_providerThatIsDown() async throws {
        let scenario = Scenario()
        let session = try await Flow.signIn.client(of: scenario).signIn(at: scenario)
        scenario.change { $0.revocation = .fails(.connection) }
        let outcome = try await session.signOut(.everywhere)
        #expect(!outcome.isRevoked)
        #expect(outcome.endSessionURL != nil)
        let isEmpty = try await scenario.isStoreEmpty()
        #expect(isEmpty)
    }
}

@Suite("DCR: dynamic client registration", .searchedForSecrets)
struct RegistrationAttackTests {
    @Test("DCR-01: Responses")
    func DCR_01_answers() async throws {
        try await accept(in: .register, each: [200, 201]) {
            $0.registration.status = $1
        } check: { _, outcome, _ in
            #expect(outcome.registered?.clientID == "registered-1")
        }
        try await refuse(
            .registration, .serverError, in: .register, each: ["invalid_redirect_uri", "invalid_client_metadata"]
        ) {
            $0.registration = .error($1)
        }
        try await refuse(.registration, .unexpectedStatus, in: .register, each: [302, 307, 401, 403]) {
            $0.registration.status = $1
        }
        try await refuse(.registration, .missingField, in: .register, each: [nil, .null, ""] as [JSONValue?]) {
            $0.registration["client_id"] = $1
        }
        try await refuse(.registration, .wrongFieldType, in: .register, each: [5, true, []] as [JSONValue]) {
            $0.registration["client_id"] = $1
        }
    }

    private static let confidential = Flow { scenario, outcome in
        let registrar = ClientRegistrar(transport: scenario)
        outcome.registered = try await registrar.register(
            ClientMetadata(redirectURIs: [Scenario.redirectURI], authenticationMethod: .clientSecretBasic),
            at: try await registrar.discovered(outcome.client.provider))
    }.served { $0.registration["client_secret"] = "{secret}" }

    @Test("DCR-02: Values that the server changed")
    func DCR_02_valuesThatTheServerChanged() async throws {
        try await refuse(.registration, .badRegistration, in: Self.confidential, each: ["none", "private_key_jwt"]) {
            $0.registration["token_endpoint_auth_method"] = .string($1)
        }
        try await refuse(.registration, .badRegistration, in: Self.confidential) {
            $0.registration["client_secret"] = nil
        }
        try await refuse(
            .registration, .redirectNotAccepted, in: .register, each: [[], ["https://evil.example/"]] as [JSONValue]
        ) {
            $0.registration["redirect_uris"] = $1
        }
        try await accept(in: Self.confidential) {
            $0.registration["token_endpoint_auth_method"] = "client_secret_post"
        } check: { _, outcome in
            #expect(outcome.registered?.authenticationMethod == .clientSecretPost)
        }
    }

    @Test("DCR-03: Types of real servers")
    func DCR_03_typesOfRealServers() async throws {
        try await accept(in: .register) {
            $0.registration["client_id_issued_at"] = "1767225600"
            $0.registration["logo_uri"] = .null
            $0.registration["client_secret_expires_at"] = "0"
        } check: { _, outcome in
            #expect(outcome.registered?.secretExpiresAt == nil)
        }
    }

    @Test(
        "DCR-08: The registration is managed at another origin",
        arguments: [
            ("https://id.acme.example/register/1", true), ("https://id.acme.example:443/other", true),
            ("https://evil.example/register/1", false), ("https://id.acme.example:8443/register/1", false),
            ("https://id.acme.example.evil.example/register/1", false), ("https://api.acme.example/register/1", false),
            ("http://id.acme.example/x", false), ("file:///x", false), ("/register/1", false),
        ])
    func DCR_08_otherOrigin(place: String, isOwn: Bool) async throws {
        let scenario = Scenario()
        let outcome = try await Flow.register.run(scenario) {
            $0.registration["registration_access_token"] = "{secret}"
            $0.registration["registration_client_uri"] = .string(place)
        }
        let client = try #require(outcome.registered)
        #expect(client.managementURI?.text == (isOwn ? place : nil))
        guard !isOwn else { return }
        let registrar = ClientRegistrar(transport: scenario)
        await expectRefusal(.unsupported, at: .registration) { try await registrar.read(client) }
        await expectRefusal(.unsupported, at: .registration) { try await registrar.delete(client) }
        #expect(scenario.log.allSatisfy { $0.url.hasPrefix("https://id.acme.example/") })
    }

    @Test("DCR-04: Management token is a secret")
    func DCR_04_managementTokenIsASecret() async throws {
        try await accept(in: .register) {
            $0.registration["registration_access_token"] = "{secret}"
            $0.registration["registration_client_uri"] = "https://id.acme.example/register/1"
        } check: {
            #expect($1.registered?.managementToken?.isEmpty == false)
            $0.output.add("\($1.registered as Any)")
        }
    }

    @Test("DCR-05: Redirect URIs are checked before")
    func DCR_05_redirectURIsAreCheckedBefore() async throws {
        let scenario = Scenario()
        let provider = try Fixture.resolved(Flow.openID)
        func expectRefusal(_ kind: OAuthError.Kind, of uris: [String], at other: Provider? = nil) async {
            await AttackTests.expectRefusal(kind) {
                let registrar = ClientRegistrar(transport: scenario)
                return try await registrar.register(
                    ClientMetadata(redirectURIs: uris), at: try await registrar.discovered(other ?? provider))
            }
        }
        await expectRefusal(.badRegistration, of: [])
        for uri in ["http://app.example/cb", "https://app.example/cb#x", "javascript:/x", "x y"] {
            await expectRefusal(.redirectNotAccepted, of: [uri])
        }
        // Another application could claim the scheme, and only PKCE makes its code useless.
        let open = try Fixture.resolved(Flow.openID + "authorization: { pkce: { none: the server refuses it } }\n")
        await expectRefusal(.redirectNotAccepted, of: ["myapp:/cb"], at: open)
        #expect(scenario.count("/register") == 0)
        try await control(.register)
    }

    @Test("DCR-06: Many starts are one registration")
    func DCR_06_manyStartsAreOneRegistration() async throws {
        let scenario = Scenario()
        let registering = AutomaticRegistration(
            ClientMetadata(redirectURIs: [Scenario.redirectURI]), transport: scenario)
        let provider = try Fixture.resolved(Flow.openID)
        let starts = await concurrently(50) { _ in try await registering.registration(at: provider).clientID }
        #expect(try Set(starts.map { try $0.get() }) == ["registered-1"])
        #expect(scenario.count("/register") == 1)
    }

    @Test("DCR-07: Metadata are checked before")
    func DCR_07_metadataAreCheckedBefore() async throws {
        let scenario = Scenario()
        let provider = try Fixture.resolved(Flow.openID + "id_token: { algorithms: [ES256, PS256] }\n")
        func register(_ metadata: ClientMetadata) async throws {
            let registrar = ClientRegistrar(transport: scenario)
            _ = try await registrar.register(metadata, at: try await registrar.discovered(provider))
        }
        func metadata(
            contacts: [String] = [], uris: [ClientMetadata.URI: String] = [:],
            algorithms: [ClientMetadata.Signed: String] = [:]
        ) -> ClientMetadata {
            ClientMetadata(
                redirectURIs: [Scenario.redirectURI], contacts: contacts, uris: uris, algorithms: algorithms)
        }
        for contact in ["", "ada", "@acme.example", "ada@", "a b@acme.example", "a@b@c", "a@b\r\nx: y"] {
            await expectRefusal(.badRegistration) { try await register(metadata(contacts: [contact])) }
        }
        for name in ClientMetadata.URI.all {
            for uri in ["", "/x", "javascript:alert(1)", "http://app.example/x", "https://app.example/#x", "data:,x"] {
                await expectRefusal(.badRegistration) { try await register(metadata(uris: [name: uri])) }
            }
        }
        await expectRefusal(.badRegistration) {
            try await register(metadata(uris: [.frontChannelLogout: "https://other.example/out"]))
        }
        for algorithm in ["none", "RS256", "HS256", "es256", ""] {
            await expectRefusal(.badRegistration) { try await register(metadata(algorithms: [.idToken: algorithm])) }
        }
        for algorithm in ["none", "ES256"] {
            await expectRefusal(.badRegistration) {
                try await register(metadata(algorithms: [.requestObject: algorithm]))
            }
        }
        #expect(scenario.count("/register") == 0)
        // The server's own choice would fail every sign-in.
        scenario.change { $0.registration["id_token_signed_response_alg"] = "RS256" }
        await expectRefusal(.badRegistration, at: .registration) {
            try await register(metadata(algorithms: [.idToken: "PS256"]))
        }
        scenario.change { $0.registration["id_token_signed_response_alg"] = "PS256" }
        try await register(metadata(algorithms: [.idToken: "PS256"]))
    }

    /// Keys go by value, so that no URL can say otherwise; a server could not tell two with one id apart.
    @Test("CAUTH-13: Keys that are published once")
    func CAUTH_13_keysThatArePublishedOnce() async throws {
        let keys = [try ClientKey.generate(.ES256), try ClientKey.generate(for: .ecdhES)]
        let scenario = Scenario()
        let provider = try Fixture.resolved(Flow.openID)
        func register(_ keys: [ClientKey]) async throws -> RegisteredClient {
            let registrar = ClientRegistrar(transport: scenario)
            return try await registrar.register(
                ClientMetadata(
                    redirectURIs: [Scenario.redirectURI], authenticationMethod: .privateKeyJWT, keys: keys),
                at: try await registrar.discovered(provider))
        }
        _ = try await register(keys)
        let body = try JSONValue(parsing: try #require(scenario.requests(to: "/register").first).body)
        #expect(body["jwks_uri"] == nil)
        let published = try #require(body["jwks"]?["keys"]?.array)
        #expect(published.map { $0["kid"]?.string } == keys.map(\.id))
        for name in ["d", "p", "q", "dp", "dq", "qi", "k"] { #expect(published.allSatisfy { $0[name] == nil }) }
        let namesake = try ClientKey.generate(.ES256, id: keys[0].id)
        await expectRefusal(.badRegistration) { try await register([keys[0], namesake]) }
        #expect(scenario.count("/register") == 1)
    }

    @Test("CAUTH-12: Secret that ends")
    func CAUTH_12_secretThatEnds() async throws {
        try await accept(in: Self.confidential) {
            $0.registration["client_secret_expires_at"] = 1_900_000_000
        } check: { _, outcome in
            #expect(outcome.registered?.secretExpiresAt == Date(timeIntervalSince1970: 1_900_000_000))
        }
        try await refuse(
            .registration, .wrongFieldType, in: Self.confidential, each: [-1, .number("1e300")] as [JSONValue]
        ) { $0.registration["client_secret_expires_at"] = $1 }
    }
}
