import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

/// Sessions that a provider ends, over its back channel and its front channel.
@Suite("Provider logout")
struct ProviderLogoutTests {
    private let provider = ScriptedProvider()
    private let store = MemoryTokenStore()

    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    /// Signs a user in whose ID token names a session.
    @discardableResult
    private func signIn(
        _ client: OAuthClient, account: String, subject: String = "user-1", session: String?
    ) async throws -> Session {
        provider.on("/token") { provider, form in
            var claims: [String: JSONValue?] = ["sub": .string(subject)]
            if let session { claims["sid"] = .string(session) }
            return .json(try provider.tokens(for: form, claims: claims).jsonText())
        }
        return try await provider.signIn(client, account: account)
    }

    private func token(_ changes: [String: JSONValue?], key: SigningKey = .rsa) throws -> Secret {
        let now = Int(provider.clock.now.timeIntervalSince1970)
        var claims = JSONObject()
        claims["iss"] = "https://id.acme.example"
        claims["aud"] = "client"
        claims["iat"] = .number("\(now)")
        claims["exp"] = .number("\(now + 120)")
        claims["jti"] = "token-1"
        claims["events"] = [Self.event: .object(JSONObject())]
        for (name, value) in changes { claims[name] = value }
        return Secret(try key.token(.object(claims), algorithm: "RS256", keyID: "1", header: ["typ": "logout+jwt"]))
    }

    private var accounts: [String] { get async { await store.keys().map(\.account) } }

    // BCL-05: by session, of several sessions of one user.
    @Test("Session ID ends one session")
    func sessionIDEndsOneSession() async throws {
        let client = try provider.client(store: store)
        let desk = try await signIn(client, account: "desk", session: "s1")
        try await signIn(client, account: "phone", session: "s2")
        let ended = try await client.endSessions(namedBy: token(["sid": "s1"]))
        #expect(ended.map(\.account) == ["desk"])
        #expect(await accounts == ["phone"])
        await expectError(.storage, .sessionEnded) { try await desk.tokens() }
    }

    // BCL-05: by user.
    @Test("Subject ends all sessions of the user")
    func subjectEndsAllSessionsOfTheUser() async throws {
        let client = try provider.client(store: store)
        try await signIn(client, account: "desk", session: "s1")
        try await signIn(client, account: "phone", session: nil)
        try await signIn(client, account: "other", subject: "user-2", session: "s3")
        let ended = try await client.endSessions(namedBy: token(["sub": "user-1"]))
        #expect(ended.map(\.account) == ["desk", "phone"])
        #expect(await accounts == ["other"])
    }

    // BCL-05: what a refresh brings does not make the session another one.
    @Test("Session is known after a refresh")
    func sessionIsKnownAfterARefresh() async throws {
        let client = try provider.client(store: store)
        let session = try await signIn(client, account: "desk", session: "s1")
        provider.restore("/token")
        try await session.refresh()
        #expect(try await client.endSessions(namedBy: token(["sid": "s1"])).count == 1)
    }

    // BCL-06: two providers that know two persons by one subject.
    @Test("Other provider's sessions are left alone")
    func otherProvidersSessionsAreLeftAlone() async throws {
        let client = try provider.client(store: store)
        try await signIn(client, account: "desk", session: "s1")
        let stored = try #require(await store.load(ConnectionKey(provider: "acme", account: "desk"))).connection
        var foreign = stored
        foreign.key = ConnectionKey(provider: "globex", account: "desk")
        _ = try await store.save(foreign, replacing: nil)
        var otherIssuer = stored
        otherIssuer.key.account = "other issuer"
        otherIssuer.issuer = "https://tenant.acme.example"
        _ = try await store.save(otherIssuer, replacing: nil)
        #expect(
            try await client.endSessions(namedBy: token(["sub": "user-1", "sid": "s1"])).map(\.account) == ["desk"])
        #expect(Set(await accounts) == ["desk", "other issuer"])
    }

    // BCL-04: one of a fleet takes it.
    @Test("Processes that share their marks take a token once")
    func processesThatShareTheirMarksTakeATokenOnce() async throws {
        let marks = MemoryUsedTokenStore()
        let token = try token(["sub": "user-1"])
        let clients = try (0..<8).map { _ in
            try OAuthClient(
                try Fixture.descriptor(Fixture.openID), registration: try provider.client().registration,
                transport: provider, store: store, clock: provider.clock, usedTokens: marks)
        }
        let taken = await withTaskGroup(of: Bool.self) { group in
            for client in clients {
                group.addTask { (try? await client.endSessions(namedBy: token)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(taken == 1)
    }

    @Test("Store that fails leaves the token good for another try")
    func storeThatFailsLeavesTheTokenGoodForAnotherTry() async throws {
        let failing = FailingStore()
        let client = try provider.client(store: failing)
        try await signIn(client, account: "desk", session: "s1")
        let token = try token(["sid": "s1"])
        failing.fail(.remove)
        await #expect(throws: TokenStoreError.self) { try await client.endSessions(namedBy: token) }
        failing.work()
        #expect(try await client.endSessions(namedBy: token).count == 1)
    }

    @Test("New key of the provider is fetched")
    func newKeyOfTheProviderIsFetched() async throws {
        let client = try provider.client(store: store)
        try await signIn(client, account: "desk", session: "s1")
        let rotated: JSONValue = ["keys": [try SigningKey.otherRSA.jwk(["kid": "1"])]]
        provider.on("/jwks", response: .json(rotated.jsonText()))
        #expect(try await client.endSessions(namedBy: token(["sid": "s1"], key: .otherRSA)).count == 1)
    }

    // FCL-01.
    @Test("Front-channel ends the session that it names")
    func frontChannelEndsTheSessionThatItNames() async throws {
        let client = try provider.client(Fixture.openID + "logout: { front_channel: true }\n", store: store)
        try await signIn(client, account: "desk", session: "s1")
        try await signIn(client, account: "phone", session: "s2")
        func logout(_ session: String) throws -> FrontChannelLogout {
            try FrontChannelLogout(
                validating: AuthorizationCallback(
                    url: "https://app.example/front?iss=https%3A%2F%2Fid.acme.example&sid=\(session)"),
                from: client.provider)
        }
        #expect(try await client.endSessions(namedBy: logout("s9")).isEmpty)
        let revocations = provider.count("/revoke")
        #expect(try await client.endSessions(namedBy: logout("s2")).map(\.account) == ["phone"])
        #expect(await accounts == ["desk"])
        #expect(provider.count("/revoke") == revocations)
    }

    // FCL-02: anybody can send such a request, so it must not open every record.
    @Test("Front-channel is rejected without an index")
    func frontChannelIsRefusedWithoutAnIndex() async throws {
        let records = UnindexedStore()
        let client = try provider.client(Fixture.openID + "logout: { front_channel: true }\n", store: records)
        let logout = try FrontChannelLogout(
            validating: AuthorizationCallback(
                url: "https://app.example/front?iss=https%3A%2F%2Fid.acme.example&sid=s1"),
            from: client.provider)
        await expectError(.configuration, .unsupported) { try await client.endSessions(namedBy: logout) }
    }

    // BCL-09: refresh tokens go with the session.
    @Test("Nothing is sent and nothing is kept")
    func nothingIsSentAndNothingIsKept() async throws {
        let client = try provider.client(store: store)
        try await signIn(client, account: "desk", session: "s1")
        let before = provider.requests.count
        try await client.endSessions(namedBy: token(["sid": "s1"]))
        #expect(provider.requests.count == before)
        #expect(await store.load(ConnectionKey(provider: "acme", account: "desk")) == nil)
    }
}

@Suite("Memory used token store")
struct MemoryUsedTokenStoreTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test("Conforms to the protocol", arguments: UsedTokenStoreConformance.allCases)
    func conforms(to check: UsedTokenStoreConformance) async throws {
        let store = MemoryUsedTokenStore()
        try await check.run(on: store, and: store)
    }

    @Test("Those that end first make room")
    func thoseThatEndFirstMakeRoom() async throws {
        let store = MemoryUsedTokenStore(limit: 10)
        for number in 0..<10 { _ = try await store.use("\(number)", until: now + 100 + Double(number), now: now) }
        #expect(try await store.use("last", until: now + 500, now: now))
        #expect(try await !store.use("last", until: now + 500, now: now))
        #expect(try await !store.use("9", until: now + 500, now: now))
        #expect(try await store.use("0", until: now + 500, now: now))
    }

    @Test("Nothing makes room for a token that a client signs, so that no other is accepted twice")
    func nothingMakesRoomForClients() async throws {
        let store = MemoryUsedTokenStore(limit: 10, isOfClients: true)
        #expect(try await store.use("victim", until: now + 100, now: now))
        for number in 0..<9 { #expect(try await store.use("\(number)", until: now + 500, now: now)) }
        await #expect(throws: TokenStoreError.self) { try await store.use("flood", until: now + 500, now: now) }
        #expect(try await !store.use("victim", until: now + 100, now: now))
        #expect(try await store.use("later", until: now + 900, now: now + 101))
    }
}
