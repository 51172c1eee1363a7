import Carnet
import CarnetStoreTestSupport
import CarnetTesting
import Foundation
import Testing

/// A thousand callers of one process find an expired token, at a provider that revokes everything when a refresh token
/// comes twice.
@Suite("Thousand callers", .serialized)
struct ThousandCallersTests {
    private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_800_000_000))

    /// - Parameter clients: How many programs' worth of clients the callers are divided among.
    private func expectOneRefresh(_ storm: Storm, _ stores: [any TokenStore]) async throws {
        try await storm.signIn(stores[0], clock: clock)
        let clients = try stores.map { try storm.client($0, clock: clock) }
        for round in 1...2 {
            clock.advance(by: .seconds(10_000))
            let outcomes = await withTaskGroup(of: Result<String, any Error>.self) { group in
                for number in 0..<1000 {
                    group.addTask { [clock] in
                        do {
                            let session = try await clients[number % clients.count]
                                .session(for: StormProvider.key.account)
                            let tokens = try #require(try await session?.tokens())
                            #expect(!tokens.isExpiring(within: 0, at: clock.now))
                            return .success(tokens.accessToken.reveal())
                        } catch {
                            return .failure(error)
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let tokens = try outcomes.map { try $0.get() }
            #expect(tokens.count == 1000)
            #expect(Set(tokens).count == 1)
            #expect(await storm.refreshes() == round)
        }
    }

    @Test("Share one refresh in memory")
    func shareOneRefreshInMemory() async throws {
        try await expectOneRefresh(try await Storm(.files), [MemoryTokenStore()])
    }

    @Test("Share one refresh", arguments: StoreLocation.Kind.allCases)
    func shareOneRefresh(kind: StoreLocation.Kind) async throws {
        let storm = try await Storm(kind)
        try await expectOneRefresh(storm, [try storm.location.open()])
    }

    /// Clients that know nothing of each other share nothing but the storage.
    @Test("Of eight clients share one refresh", arguments: StoreLocation.Kind.allCases)
    func ofEightClientsShareOneRefresh(kind: StoreLocation.Kind) async throws {
        let storm = try await Storm(kind)
        try await expectOneRefresh(storm, try (0..<8).map { _ in try storm.location.open() })
    }
}
