import Carnet
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("Session states")
struct SessionStatesTests {
    private let provider = ScriptedProvider()

    private func expired() async throws -> Session {
        let session = try await provider.session()
        provider.clock.advance(by: .seconds(3600))
        return session
    }

    @Test("Refresh is seen")
    func refreshIsSeen() async throws {
        let session = try await expired()
        var states = session.states.makeAsyncIterator()
        #expect(await states.next() == .signedIn)
        let gate = Gate()
        provider.on("/token") { provider, form in
            await gate.pass()
            return .json(try provider.tokens(for: form, claims: ["nonce": nil as JSONValue?]).jsonText())
        }
        async let tokens = session.tokens()
        #expect(await states.next() == .refreshing)
        gate.open()
        _ = try await tokens
        #expect(await states.next() == .signedIn)
    }

    @Test(
        "Refusal that ends nothing says try later",
        arguments: [#"{"error":"invalid_client"}"#, #"{"error":"temporarily_unavailable"}"#, "<html>"])
    func refusalThatEndsNothingSaysTryLater(body: String) async throws {
        let session = try await expired()
        provider.on("/token", response: .json(body, status: 400))
        _ = try? await session.tokens()
        var states = session.states.makeAsyncIterator()
        guard case .tryLater = await states.next() else {
            Issue.record("another state")
            return
        }
    }

    @Test("Failure that passes says try later")
    func failureThatPassesSaysTryLater() async throws {
        let session = try await expired()
        provider.on("/token", fail: .timeout)
        _ = try? await session.tokens()
        var states = session.states.makeAsyncIterator()
        guard case .tryLater(let reason) = await states.next() else {
            Issue.record("another state")
            return
        }
        #expect(reason.contains("no response from the server"))
        provider.restore("/token")
        _ = try await session.tokens()
        #expect(await states.next() == .signedIn)
    }

    @Test("Failure within the margin changes nothing")
    func failureWithinTheMarginChangesNothing() async throws {
        let session = try await provider.session()
        provider.clock.advance(by: .seconds(3550))
        provider.on("/token", fail: .timeout)
        _ = try await session.tokens()
        var states = session.states.makeAsyncIterator()
        #expect(await states.next() == .signedIn)
    }

    @Test("End is seen by every watcher")
    func endIsSeenByEveryWatcher() async throws {
        let session = try await expired()
        let watchers = (0..<3).map { _ in session.states }
        provider.on("/token", response: .json(#"{"error":"invalid_grant"}"#, status: 400))
        _ = try? await session.tokens()
        for watcher in watchers {
            var states = watcher.makeAsyncIterator()
            #expect(await states.next() == .ended)
        }
    }

    @Test("Sign-out ends the session")
    func signOutEndsTheSession() async throws {
        let session = try await provider.session()
        _ = try await session.signOut()
        var states = session.states.makeAsyncIterator()
        #expect(await states.next() == .ended)
    }

    @Test("Sign-out of what was ended elsewhere is seen too")
    func signOutOfWhatWasEndedElsewhereIsSeenToo() async throws {
        let store = MemoryTokenStore()
        let session = try await provider.session(store: store)
        try await store.remove(session.key)
        _ = try await session.signOut()
        var states = session.states.makeAsyncIterator()
        #expect(await states.next() == .ended)
    }

    @Test("States end with the session")
    func statesEndWithTheSession() async throws {
        var session: Session? = try await provider.session()
        let states = try #require(session?.states)
        session = nil
        var seen: [SessionState] = []
        for await state in states { seen.append(state) }
        #expect(seen == [.signedIn])
    }
}
