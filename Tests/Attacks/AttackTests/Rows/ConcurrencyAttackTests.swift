// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

@Suite("CONC: many at once, and those who give up", .searchedForSecrets)
struct ConcurrencyAttackTests {
    /// Callbacks, uses, refreshes and sign-outs of the same accounts, all at once.
    @Test("CONC-01: Everything at once")
    func CONC_01_everythingAtOnce() async throws {
        let scenario = Scenario()
        let client = try Flow.signIn.client(of: scenario)
        let sessions = try await withThrowingTaskGroup(of: Session.self) { group in
            for _ in 0..<20 { group.addTask { try await client.signIn(at: scenario) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(sessions.map(ObjectIdentifier.init)).count == 1)
        // The script refreshes with the nonce of the latest sign-in, which need not be the one that was saved last.
        let session = try await client.signIn(at: scenario)
        #expect(session === sessions.first)
        let before = scenario.count("/token")
        let outcomes = await concurrently(200) { number in
            switch number % 4 {
            case 0: _ = try await session.refresh()
            case 1: _ = try await session.tokens()
            case 2: _ = try await session.profile()
            default: _ = try await client.session(for: session.key.account)
            }
        }
        for outcome in outcomes { #expect(throws: Never.self) { try outcome.get() } }
        #expect(scenario.count("/token") - before <= 50)
        let stored = try await session.storedTokens()
        #expect(stored.refreshToken != nil)
        _ = try await session.signOut()
        #expect(try await scenario.isStoreEmpty())
    }

    /// Two processes with one store: the second refresh finds the tokens of the first.
    @Test("CONC-01: Two clients of one store")
    func CONC_01_twoClientsOfOneStore() async throws {
        let scenario = Scenario()
        let (one, two) = (try Flow.signIn.client(of: scenario), try Flow.signIn.client(of: scenario))
        let first = try await one.signIn(at: scenario)
        let second = try #require(try await two.session(for: first.key.account))
        scenario.clock.advance(by: .seconds(3599))
        let outcomes = await concurrently(100) { number in
            try await (number.isMultiple(of: 2) ? first : second).tokens().accessToken
        }
        #expect(Set(outcomes.compactMap { try? $0.get() }).count == 1)
        #expect(scenario.requests(to: "/token").count == 2)
    }

    /// Runs a body and cancels it when the request of a number is asked.
    ///
    /// - Returns: Whether there was a request of that number.
    private func cancelling(
        at number: Int, _ prepare: (Scenario, OAuthClient) async throws -> @Sendable () async throws -> Void
    ) async throws -> (Scenario, OAuthClient, Bool) {
        let task = Lock<Task<Void, any Error>?>(nil)
        let seen = Lock<Int?>(nil)
        let scenario = Scenario(gate: { _, _ in
            let count: Int? = seen.withLock { seen in
                seen = seen.map { $0 + 1 }
                return seen
            }
            if count == number { task.withLock { $0?.cancel() } }
        })
        let client = try Flow.signIn.client(of: scenario)
        let body = try await prepare(scenario, client)
        seen.withLock { $0 = 0 }
        let running = Task { try await body() }
        task.withLock { $0 = running }
        _ = await running.result
        return (scenario, client, seen.withLock { $0 ?? 0 } >= number)
    }

    /// A sign-in that is given up leaves nothing, or everything.
    @Test("CONC-02: Sign-in that is given up", arguments: 1...6)
    func CONC_02_signInThatIsGivenUp(number: Int) async throws {
        let (scenario, client, _) = try await cancelling(at: number) { scenario, client in
            { _ = try await client.signIn(at: scenario).profile() }
        }
        for key in try await scenario.store.keys() {
            let session = try #require(try await client.session(for: key.account))
            #expect(try await session.profile().subject == "user-1")
            #expect(try await session.refresh().refreshToken != nil)
        }
        _ = try await client.signIn(at: scenario).profile()
    }

    /// A refresh that is given up by its caller is finished all the same: the old refresh token may be void.
    @Test("CONC-02: Refresh that is given up", arguments: 1...3)
    func CONC_02_refreshThatIsGivenUp(number: Int) async throws {
        let (scenario, client, wasAsked) = try await cancelling(at: number) { scenario, client in
            let session = try await client.signIn(at: scenario)
            return { _ = try await session.refresh() }
        }
        let key = try #require(try await scenario.store.keys().first)
        let session = try #require(try await client.session(for: key.account))
        let issued = scenario.count("/token")
        #expect(issued == 2 || !wasAsked)
        let stored = try await session.storedTokens()
        _ = try await session.refresh()
        let last = try #require(scenario.requests(to: "/token").last?.form["refresh_token"])
        #expect(last == stored.refreshToken?.reveal())
        #expect(Set(scenario.requests(to: "/token").compactMap { $0.form["refresh_token"] }).count == issued)
    }

    /// A sign-out that is given up forgets the tokens, or nothing.
    @Test("CONC-02: Sign-out that is given up", arguments: 1...2)
    func CONC_02_signOutThatIsGivenUp(number: Int) async throws {
        let (scenario, _, wasAsked) = try await cancelling(at: number) { scenario, client in
            let session = try await client.signIn(at: scenario)
            return { _ = try await session.signOut(.revoke) }
        }
        #expect(wasAsked)
        #expect(try await scenario.isStoreEmpty())
    }
}
