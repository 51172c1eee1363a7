import Carnet
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

/// A provider has replaced the refresh token, and the store cannot take the new one: it is kept, and nobody is given
/// what is not saved.
@Suite("Unsaved tokens")
struct UnsavedTokensTests {
    private let provider = ScriptedProvider()
    private let store = FailingStore()

    private func expiredSession() async throws -> Session {
        let session = try await provider.session(store: store)
        provider.clock.advance(by: .seconds(3600))
        return session
    }

    private var refreshes: [[String: String]] {
        provider.forms("/token").filter { $0["grant_type"] == "refresh_token" }
    }

    @Test("Tokens that could not be saved are not given")
    func tokensThatCouldNotBeSavedAreNotGiven() async throws {
        let session = try await expiredSession()
        store.fail(.save)
        let error = await expectError(.storage, .storage) { try await session.tokens() }
        #expect(error?.disposition == .tryLater)
        #expect(error?.message.contains("the disk is full") == true)
        #expect(error?.hint?.contains("kept in memory") == true)
        #expect(try await session.storedTokens().accessToken.reveal() == "access-token-1")
    }

    @Test("They are saved at the next call without another refresh")
    func theyAreSavedAtTheNextCallWithoutAnotherRefresh() async throws {
        let session = try await expiredSession()
        store.fail(.save)
        await expectError(.storage, .storage) { try await session.tokens() }
        store.work()
        #expect(try await session.tokens().accessToken.reveal() == "access-token-2")
        #expect(try await store.load(session.key)?.connection.tokens.refreshToken?.reveal() == "refresh-token-2")
        #expect(refreshes.count == 1)
    }

    @Test("Every failure keeps them")
    func everyFailureKeepsThem() async throws {
        let session = try await expiredSession()
        store.fail(.save)
        for _ in 0..<3 { await expectError(.storage, .storage) { try await session.tokens() } }
        store.work()
        try await session.refresh()
        try await session.refresh()
        #expect(refreshes.map { $0["refresh_token"] } == ["refresh-token-1", "refresh-token-2"])
    }

    @Test("Another session of the client finds them")
    func anotherSessionOfTheClientFindsThem() async throws {
        let client = try provider.client(store: store)
        var session: Session? = try await provider.signIn(client)
        provider.clock.advance(by: .seconds(3600))
        store.fail(.save)
        await expectError(.storage, .storage) { [session] in try await session?.tokens() }
        session = nil
        store.work()
        let restored = try #require(try await client.session(for: "user-1"))
        #expect(try await restored.tokens().accessToken.reveal() == "access-token-2")
        #expect(refreshes.count == 1)
    }

    // RT-07: the old access token serves until its end.
    @Test("Within the margin the old token is given")
    func withinTheMarginTheOldTokenIsGiven() async throws {
        let session = try await provider.session(store: store)
        provider.clock.advance(by: .seconds(3550))
        store.fail(.save)
        #expect(try await session.tokens().accessToken.reveal() == "access-token-1")
        #expect(try await session.tokens().accessToken.reveal() == "access-token-1")
        #expect(refreshes.count == 1)
        store.work()
        #expect(try await session.tokens().accessToken.reveal() == "access-token-2")
    }

    @Test("Tokens that expire unsaved are refreshed from the latest")
    func tokensThatExpireUnsavedAreRefreshedFromTheLatest() async throws {
        let session = try await expiredSession()
        store.fail(.save)
        await expectError(.storage, .storage) { try await session.tokens() }
        provider.clock.advance(by: .seconds(3600))
        store.work()
        #expect(try await session.tokens().accessToken.reveal() == "access-token-3")
        #expect(refreshes.map { $0["refresh_token"] } == ["refresh-token-1", "refresh-token-2"])
    }

    @Test("New sign-in counts instead")
    func newSignInCountsInstead() async throws {
        let client = try provider.client(store: store)
        let session = try await provider.signIn(client)
        provider.clock.advance(by: .seconds(3600))
        store.fail(.save)
        await expectError(.storage, .storage) { try await session.tokens() }
        store.work()
        _ = try await provider.signIn(client)
        #expect(try await session.tokens().accessToken.reveal() == "access-token-3")
        #expect(refreshes.count == 1)
    }

    @Test("Sign-out revokes them")
    func signOutRevokesThem() async throws {
        let session = try await expiredSession()
        store.fail(.save)
        await expectError(.storage, .storage) { try await session.tokens() }
        store.work()
        #expect(try await session.signOut(.revoke).isRevoked)
        #expect(provider.forms("/revoke").map { $0["token"] } == ["refresh-token-2", "access-token-2"])
    }

    @Test("Refresh token is not spent when the store cannot be written")
    func refreshTokenIsNotSpentWhenTheStoreCannotBeWritten() async throws {
        let session = try await expiredSession()
        store.fail(.prepareToSave)
        let error = await #expect(throws: TokenStoreError.self) { try await session.tokens() }
        #expect(error?.kind == .unavailable)
        #expect(refreshes.isEmpty)
    }

    @Test("Store that cannot be written leaves a valid token in use")
    func storeThatCannotBeWrittenLeavesAValidTokenInUse() async throws {
        let session = try await provider.session(store: store)
        provider.clock.advance(by: .seconds(3550))
        store.fail(.prepareToSave)
        #expect(try await session.tokens().accessToken.reveal() == "access-token-1")
    }

    // Two processes whose lock was lost: the one that comes second is refused for the first one's success.
    @Test("Refusal for another's success does not end the session")
    func refusalForAnothersSuccessDoesNotEndTheSession() async throws {
        let session = try await expiredSession()
        provider.on("/token") { [store] _, _ in
            var winner = try #require(try await store.load(session.key)).connection
            winner.tokens.accessToken = Secret("access-token-of-another")
            _ = try await store.save(winner, replacing: nil)
            return .json(#"{"error":"invalid_grant"}"#, status: 400)
        }
        #expect(try await session.refresh().accessToken.reveal() == "access-token-of-another")
        #expect(try await store.keys() == [session.key])
    }

    /// Of a provider where a sign-in has to look something up.
    private func connectedSession() async throws -> Session {
        provider.on("/site", response: .json(#"{"id":"red"}"#))
        let lookup = """
            api: { hosts: [id.acme.example] }
            connection:
              lookups:
                site: { url: "https://id.acme.example/site", value: /id, sample: { id: red } }

            """
        return try await provider.session(Fixture.openID + lookup, store: store)
    }

    // What a connection finds out is written beside the newest tokens, not over them.
    @Test("Values are kept beside them")
    func valuesAreKeptBesideThem() async throws {
        let session = try await connectedSession()
        provider.on("/site") { [store] provider, _ in
            // The tokens are refreshed while the lookup takes its time, and cannot be saved.
            store.fail(.save)
            _ = try? await session.refresh()
            store.work()
            return .json(#"{"id":"blue"}"#)
        }
        try await session.connect()
        #expect(try await session.connectionValues()["connection.site"]?.text == "blue")
        #expect(try await session.tokens().refreshToken?.reveal() == "refresh-token-2")
    }

    @Test("Nothing is looked up that could not be kept")
    func nothingIsLookedUpThatCouldNotBeKept() async throws {
        let session = try await connectedSession()
        store.fail(.prepareToSave)
        let error = await #expect(throws: TokenStoreError.self) { try await session.connect() }
        #expect(error?.kind == .unavailable)
        #expect(provider.count("/site") == 1, "the sign-in's own")
    }

    @Test("Sign-in spends no code when the store cannot be written")
    func signInSpendsNoCodeWhenTheStoreCannotBeWritten() async throws {
        let client = try provider.client(store: store)
        let request = try await client.beginSignIn()
        let callback = provider.callback(request)
        store.fail(.prepareToSave)
        await #expect(throws: TokenStoreError.self) {
            try await client.completeSignIn(callback, for: request.pending)
        }
        #expect(provider.count("/token") == 0)
        store.work()
        _ = try await client.completeSignIn(callback, for: request.pending)
    }

    @Test("Token that was given serves while the store is away")
    func tokenThatWasGivenServesWhileTheStoreIsAway() async throws {
        let session = try await provider.session(store: store)
        _ = try await session.tokens()
        store.fail(.load)
        #expect(try await session.tokens().accessToken.reveal() == "access-token-1")
        provider.clock.advance(by: .seconds(3600))
        let error = await #expect(throws: TokenStoreError.self) { try await session.tokens() }
        #expect(error?.kind == .unavailable)
        store.work()
        #expect(try await session.tokens().accessToken.reveal() == "access-token-2")
    }

    @Test("Token of a session that ended serves nobody")
    func tokenOfASessionThatEndedServesNobody() async throws {
        let session = try await provider.session(store: store)
        _ = try await session.tokens()
        try await store.inner.remove(session.key)
        await expectError(.storage, .sessionEnded) { try await session.tokens() }
        store.fail(.load)
        await #expect(throws: TokenStoreError.self) { try await session.tokens() }
        let other = try await provider.session(store: FailingStore())
        _ = try await other.tokens()
        _ = try await other.signOut()
        await expectError(.storage, .sessionEnded) { try await other.tokens() }
    }
}
