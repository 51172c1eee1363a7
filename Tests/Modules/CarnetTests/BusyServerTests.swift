import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Logging
import MetricsTestKit
import Testing

/// A response of a server that limits requests.
func busy(_ retryAfter: String? = nil, status: Int = 429, date: String? = nil) -> IncomingResponse {
    var response = IncomingResponse.json("{}", status: status)
    response.head.headerFields[.retryAfter] = retryAfter
    response.head.headerFields[.date] = date
    return response
}

/// A server says when it is to be sent the next refresh, and gets none before.
@Suite("Busy server")
struct BusyServerTests {
    private let kept = "the session is kept, and the next refresh tries again"

    private let provider = ScriptedProvider()
    private let store = MemoryTokenStore()

    /// An account whose access token has expired.
    private func expired(_ account: String, _ client: OAuthClient? = nil, _ yaml: String = Fixture.openID) async throws
        -> Session
    {
        let session = try await provider.signIn(try client ?? provider.client(yaml, store: store), account: account)
        provider.clock.advance(by: .seconds(3600))
        return session
    }

    private var refreshes: [String?] {
        provider.forms("/token").filter { $0["grant_type"] == "refresh_token" }.map { $0["refresh_token"] }
    }

    @Test(
        "No refresh is sent before the time that the server named, and each caller gets this time",
        arguments: [429, 503])
    func pause(status: Int) async throws {
        let session = try await expired("ada")
        provider.on("/token", response: busy("30", status: status))
        let end = provider.clock.now.addingTimeInterval(30)
        let first = await expectError(.refresh, status == 429 ? .tooManyRequests : .serverUnavailable) {
            try await session.tokens()
        }
        #expect(first?.retryAt == end)
        #expect(first?.status == status)
        #expect(first?.disposition == .tryLater)
        #expect(first?.hint == "try again in 30 seconds, as the server asks; \(kept)")
        provider.restore("/token")
        provider.clock.advance(by: .seconds(29))
        for outcome in await concurrently(20, { _ in try await session.tokens() }) {
            let error = #expect(throws: OAuthError.self) { try outcome.get() }
            #expect(error?.step == .refresh && error?.kind == .tooManyRequests)
            #expect(error?.retryAt == end)
            #expect(error?.hint == "try again in 1 second, as the server asks; \(kept)")
            #expect(error?.disposition == .tryLater)
        }
        await expectError(.refresh, .tooManyRequests) { try await session.refresh() }
        #expect(refreshes == ["refresh-token-1"])
        provider.clock.advance(by: .seconds(1))
        #expect(try await session.tokens().accessToken.reveal() == "access-token-2")
        #expect(refreshes == ["refresh-token-1", "refresh-token-1"])
    }

    @Test("A failed refresh without a time begins no pause, nor does an error that waiting cannot help")
    func noPause() async throws {
        let session = try await expired("ada")
        provider.on("/token", response: busy())
        for _ in 0..<3 {
            let error = await expectError(.refresh, .tooManyRequests) { try await session.tokens() }
            #expect(error?.retryAt == nil)
            #expect(error?.hint == kept)
        }
        #expect(refreshes.count == 3)
        var refusal = IncomingResponse.json(#"{"error":"invalid_client"}"#, status: 401)
        refusal.head.headerFields[.retryAfter] = "30"
        provider.on("/token", response: refusal)
        await expectError(.refresh, .serverError) { try await session.tokens() }
        provider.restore("/token")
        #expect(try await session.tokens().accessToken.reveal() == "access-token-2")
    }

    @Test("An error of the standard with a time begins a pause, and its code is kept")
    func temporarilyUnavailable() async throws {
        let session = try await expired("ada")
        var response = IncomingResponse.json(#"{"error":"temporarily_unavailable"}"#, status: 400)
        response.head.headerFields[.retryAfter] = "30"
        provider.on("/token", response: response)
        let error = await expectError(.refresh, .serverError) { try await session.tokens() }
        #expect(error?.server?.code == "temporarily_unavailable")
        #expect(error?.retryAt == provider.clock.now.addingTimeInterval(30))
        await expectError(.refresh, .tooManyRequests) { try await session.tokens() }
        #expect(refreshes.count == 1)
    }

    @Test(
        "403 with a time is a limit for a refresh too, unless an error of the standard says otherwise",
        arguments: [("rate_limit_exceeded", true), ("invalid_client", false)])
    func forbidden(code: String, isLimit: Bool) async throws {
        let session = try await expired("ada")
        var response = IncomingResponse.json(#"{"error":"\#(code)"}"#, status: 403)
        response.head.headerFields[.retryAfter] = "60"
        provider.on("/token", response: response)
        let error = await expectError(.refresh, isLimit ? .tooManyRequests : .serverError) {
            try await session.tokens()
        }
        #expect(error?.server?.code == code)
        #expect(
            error?.hint
                == (isLimit
                    ? "try again in 60 seconds, as the server asks; \(kept)"
                    : error?.hint))
        _ = try? await session.tokens()
        #expect(refreshes.count == (isLimit ? 1 : 2))
    }

    @Test("A pause ends no session, whatever the body says")
    func invalidGrant() async throws {
        let session = try await expired("ada")
        var response = IncomingResponse.json(#"{"error":"invalid_grant"}"#, status: 429)
        response.head.headerFields[.retryAfter] = "30"
        provider.on("/token", response: response)
        await expectError(.refresh, .tooManyRequests) { try await session.tokens() }
        #expect(await store.keys() == [session.key])
    }

    @Test("A token that is still valid is used during the pause")
    func validToken() async throws {
        let session = try await provider.session(store: store)
        provider.clock.advance(by: .seconds(3550))
        provider.on("/token", response: busy("600"))
        for _ in 0..<3 { #expect(try await session.tokens().accessToken.reveal() == "access-token-1") }
        #expect(refreshes.count == 1)
        provider.clock.advance(by: .seconds(50))
        await expectError(.refresh, .tooManyRequests) { try await session.tokens() }
        #expect(refreshes.count == 1)
    }

    @Test("Another process that shares the store waits too, and only for this account")
    func otherProcess() async throws {
        let first = try await expired("ada")
        let other = try provider.client(store: store)
        let bob = try await expired("bob", other)
        provider.on("/token", response: busy("600"))
        await expectError(.refresh, .tooManyRequests) { try await first.tokens() }
        provider.restore("/token")
        let second = try #require(try await other.session(for: "ada"))
        let error = await expectError(.refresh, .tooManyRequests) { try await second.tokens() }
        #expect(error?.retryAt == provider.clock.now.addingTimeInterval(600))
        _ = try await bob.tokens()
        #expect(refreshes.count == 2)
        #expect(await store.load(first.key)?.connection.pausedUntil == error?.retryAt)
        provider.clock.advance(by: .seconds(600))
        _ = try await second.tokens()
        #expect(await store.load(first.key)?.connection.pausedUntil == nil)
        #expect(refreshes.count == 3)
    }

    @Test("Other accounts of the client wait at most a minute, because the limit may be for one account")
    func otherAccounts() async throws {
        let client = try provider.client(store: store)
        let bob = try await expired("bob", client)
        let ada = try await expired("ada", client)
        provider.on("/token", response: busy("600"))
        await expectError(.refresh, .tooManyRequests) { try await ada.tokens() }
        provider.restore("/token")
        let error = await expectError(.refresh, .tooManyRequests) { try await bob.tokens() }
        #expect(error?.retryAt == provider.clock.now.addingTimeInterval(60))
        #expect(refreshes.count == 1)
        provider.clock.advance(by: .seconds(60))
        _ = try await bob.tokens()
        await expectError(.refresh, .tooManyRequests) { try await ada.tokens() }
        #expect(refreshes.count == 2)
    }

    @Test("A clock that is set back does not extend a pause")
    func clockSetBack() async throws {
        let session = try await expired("ada")
        provider.on("/token", response: busy("30"))
        await expectError(.refresh, .tooManyRequests) { try await session.tokens() }
        provider.restore("/token")
        provider.clock.advance(by: .seconds(-86_400))
        try await session.refresh()
        #expect(refreshes.count == 2)
    }

    @Test("A new sign-in is not held back")
    func signIn() async throws {
        let client = try provider.client(store: store)
        let session = try await expired("ada", client)
        provider.on("/token", response: busy("30"))
        await expectError(.refresh, .tooManyRequests) { try await session.tokens() }
        provider.restore("/token")
        let again = try await provider.signIn(client, account: "ada")
        #expect(try await again.tokens().accessToken.reveal() == "access-token-2")
    }

    @Test("Refreshed tokens that were not saved are saved during a pause")
    func unsavedTokens() async throws {
        let failing = FailingStore()
        let client = try provider.client(store: failing)
        let ada = try await expired("ada", client)
        let bob = try await expired("bob", client)
        failing.fail(.save)
        await expectError(.storage, .storage) { try await ada.tokens() }
        failing.work()
        provider.on("/token", response: busy("30"))
        await expectError(.refresh, .tooManyRequests) { try await bob.tokens() }
        #expect(try await ada.tokens().accessToken.reveal() == "access-token-3")
    }

    @Test("A client requests no token of its own before the time that the server named")
    func ownTokens() async throws {
        let client = try provider.client(secret: "client-secret", store: store)
        provider.on("/token", response: busy("600"))
        func own() async throws -> TokenSet { try await client.tokens(for: .clientCredentials(scopes: ["a"])) }
        for _ in 0..<2 {
            let error = await expectError(.clientCredentials, .tooManyRequests) { try await own() }
            #expect(error?.retryAt == provider.clock.now.addingTimeInterval(600))
        }
        #expect(provider.count("/token") == 1)
        provider.on("/token", response: .json(#"{"access_token":"own","token_type":"Bearer","expires_in":3600}"#))
        provider.clock.advance(by: .seconds(600))
        #expect(try await own().accessToken.reveal() == "own")
        #expect(provider.count("/token") == 2)
    }

    @Test("A pause is one line in the log, and each refresh that is not sent is counted")
    func observation() async throws {
        let (log, metrics) = (RecordedLog(), TelemetryBackends.metrics)
        let client = try OAuthClient(
            try Fixture.descriptor(Fixture.openID.replacing("id: acme", with: "id: paused")),
            registration: ClientRegistration(
                clientID: "client", credentials: .publicClient, redirectURI: "com.example.app:/callback"),
            transport: provider, store: store, clock: provider.clock, logger: log.logger)
        let session = try await expired("ada", client)
        provider.on("/token", response: busy("30"))
        for _ in 0..<4 { await expectError(.refresh, .tooManyRequests) { try await session.tokens() } }
        #expect(
            log.entriesWithLevels.filter { $0.contains("asked to wait") } == [
                "notice: A server asked to wait host=id.acme.example seconds=30 status=429 step=refresh"
            ])
        let paused = [("provider", "paused"), ("step", "refresh")]
        #expect(try metrics.expectCounter("carnet.exchange.paused", paused).totalValue == 3)
        let outcome = [("provider", "paused"), ("outcome", "tooManyRequests")]
        #expect(try metrics.expectCounter("carnet.refresh.count", outcome).totalValue == 1)
    }
}
