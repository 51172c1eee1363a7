import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

/// Clients that register themselves where they are first needed (RFC 7591).
@Suite("Automatic registration")
struct AutomaticRegistrationTests {
    private let provider = ScriptedProvider()
    private let metadata = ClientMetadata(
        redirectURIs: ["com.example.app:/callback"], authenticationMethod: .clientSecretBasic, scopes: ["openid"])

    private func registering(
        _ store: any TokenStore = MemoryTokenStore(), secretEndsAfter lifetime: Int = 0
    ) -> AutomaticRegistration {
        provider.on("/register") { provider, _ in
            let number = provider.count("/register")
            let end = lifetime == 0 ? 0 : Int(provider.clock.now.timeIntervalSince1970) + lifetime
            return .json(
                """
                {"client_id":"registered-\(number)","client_secret":"secret","client_secret_expires_at":\(end),\
                "token_endpoint_auth_method":"client_secret_basic"}
                """,
                status: 201)
        }
        return AutomaticRegistration(
            metadata, transport: provider, store: store, clock: provider.clock)
    }

    private func resolved() throws -> Provider {
        try Fixture.resolved(
            Fixture.openID.replacing(
                "  revocation:", with: "  registration: https://id.acme.example/register\n  revocation:"))
    }

    // DCR-06.
    @Test("Hundred first uses register once")
    func hundredFirstUsesRegisterOnce() async throws {
        let registering = registering()
        let resolved = try resolved()
        let outcomes = await concurrently(100) { _ in try await registering.registration(at: resolved).clientID }
        #expect(try Set(outcomes.map { try $0.get() }) == ["registered-1"])
        #expect(provider.count("/register") == 1)
    }

    // DCR-06.
    @Test("The next run uses what is kept")
    func theNextRunUsesWhatIsKept() async throws {
        let store = MemoryTokenStore()
        _ = try await registering(store).registration(at: try resolved())
        let registration = try await registering(store).registration(at: try resolved())
        #expect(registration.clientID == "registered-1" && registration.clientSecret == Secret("secret"))
        #expect(registration.authenticationMethod == .clientSecretBasic && registration.scopes == ["openid"])
        #expect(provider.count("/register") == 1)
    }

    // What a person granted one resource's client, the server would grant another's without asking.
    @Test("Resources of two origins are two clients of a server, and two paths of one origin are one")
    func resourcesOfTwoOrigins() async throws {
        let registering = registering()
        var clients: [String] = []
        for resource in ["https://a.example/mcp", "https://a.example/other", "https://b.example/mcp"] {
            let text = Fixture.openID.replacing(
                "  revocation:", with: "  registration: https://id.acme.example/register\n  revocation:")
            let provider = try Fixture.resolved(text + "\nresource: \(resource)\n")
            clients.append(try await registering.registration(at: provider).clientID)
        }
        #expect(clients == ["registered-1", "registered-1", "registered-2"])
    }

    // Each has its own memory, as processes have. What they share is the store and its locks.
    @Test("Programs that start together without a client register one")
    func programsThatStartTogether() async throws {
        let store = MemoryTokenStore()
        let programs = (0..<5).map { _ in registering(store) }
        let resolved = try resolved()
        let outcomes = await concurrently(5) { try await programs[$0].registration(at: resolved).clientID }
        #expect(try Set(outcomes.map { try $0.get() }) == ["registered-1"])
        #expect(provider.count("/register") == 1)
    }

    @Test("The record of a client is no account of a provider")
    func theRecordIsNoAccount() async throws {
        let store = MemoryTokenStore()
        _ = try await registering(store).registration(at: try resolved())
        let keys = await store.keys()
        #expect(keys.count == 1 && keys.allSatisfy(\.isRegistration))
        #expect(!ProviderID.isValid(try #require(keys.first?.provider)))
        #expect(try await provider.client(store: store).accounts().isEmpty)
    }

    @Test("Secret that has ended takes a new client")
    func secretThatHasEndedTakesANewClient() async throws {
        let registering = registering(secretEndsAfter: 60)
        let resolved = try resolved()
        for (seconds, number) in [(0, 1), (59, 1), (1, 2), (59, 2)] {
            provider.clock.advance(by: .seconds(seconds))
            #expect(try await registering.registration(at: resolved).clientID == "registered-\(number)")
        }
    }

    // https://github.com/modelcontextprotocol/python-sdk/issues/3256 and https://github.com/PrefectHQ/fastmcp/issues/4520
    @Test("An account outlives its client's secret, and a time that has passed is none")
    func accountOutlivesSecret() async throws {
        let (registering, resolved) = (registering(secretEndsAfter: 60), try resolved())
        #expect(try await registering.registration(at: resolved).clientID == "registered-1")
        provider.clock.advance(by: .seconds(61))
        #expect(try await registering.knownRegistration(at: resolved) == nil)
        #expect(try await registering.knownRegistration(at: resolved, evenExpired: true)?.clientID == "registered-1")
        let past = self.registering(secretEndsAfter: -1_000)
        #expect(try await past.registration(at: resolved).clientID == "registered-2")
        #expect(try await past.registration(at: resolved).clientID == "registered-2")
    }

    // https://github.com/patvice/ruby_llm-mcp/issues/137
    @Test("A secret that comes without a method is sent as the standard says")
    func secretWithoutMethod() async throws {
        let registering = AutomaticRegistration(
            ClientMetadata(redirectURIs: ["com.example.app:/callback"]), transport: provider, clock: provider.clock)
        provider.on("/register", response: .json(#"{"client_id":"c","client_secret":"s"}"#, status: 201))
        let registration = try await registering.registration(at: try resolved())
        #expect(registration.authenticationMethod == .clientSecretBasic && registration.clientSecret == Secret("s"))
    }

    @Test("Client that could not be saved is not registered again")
    func clientThatCouldNotBeSavedIsNotRegisteredAgain() async throws {
        let store = ReluctantStore(times: 2)
        let registering = registering(store)
        let resolved = try resolved()
        for _ in 1...2 {
            await #expect(throws: TokenStoreError.self) { try await registering.registration(at: resolved) }
        }
        #expect(try await registering.registration(at: resolved).clientID == "registered-1")
        #expect(provider.count("/register") == 1)
        #expect(try await self.registering(store).registration(at: resolved).clientID == "registered-1")
    }

    @Test("Refusal is reported and tried again")
    func refusalIsReportedAndTriedAgain() async throws {
        let registering = registering()
        provider.on("/register", response: .json(#"{"error":"invalid_client_metadata"}"#, status: 400))
        let resolved = try resolved()
        for _ in 1...2 {
            let error = await #expect(throws: OAuthError.self) { try await registering.registration(at: resolved) }
            #expect(error?.server?.code == "invalid_client_metadata")
        }
        #expect(provider.count("/register") == 2)
    }

    @Test("Client comes back from its encoded form")
    func clientComesBackFromItsEncodedForm() throws {
        let client = RegisteredClient(
            clientID: "c", clientSecret: Secret("s"), secretExpiresAt: provider.clock.now,
            authenticationMethod: .clientSecretPost, redirectURIs: ["com.example.app:/callback"],
            managementURI: try WebURL("https://id.acme.example/register/c"), managementToken: Secret("t"))
        let encoded = try JSONEncoder().encode(client)
        #expect(try JSONDecoder().decode(RegisteredClient.self, from: encoded) == client)
        let damaged = String(decoding: encoded, as: UTF8.self).replacing("https:", with: "ftp:")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(RegisteredClient.self, from: Data(damaged.utf8))
        }
    }
}

/// A store that does not take the first records.
private final class ReluctantStore: TokenStore {
    private let store = MemoryTokenStore()
    private let failures: Lock<Int>

    init(times: Int) {
        failures = Lock(times)
    }

    func load(_ key: ConnectionKey) async throws -> StoredConnection? { await store.load(key) }

    func save(_ connection: Connection, replacing revision: String?) async throws -> String {
        try failures.withLock { left in
            guard left == 0 else {
                left -= 1
                throw TokenStoreError(.unavailable, "the disk is full")
            }
        }
        return try await store.save(connection, replacing: revision)
    }

    func remove(_ key: ConnectionKey, ifRevision revision: String?) async throws -> Bool {
        await store.remove(key, ifRevision: revision)
    }

    func keys() async throws -> [ConnectionKey] { await store.keys() }

    func withLock<Result: Sendable>(
        on key: ConnectionKey, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await store.withLock(on: key, body)
    }
}
