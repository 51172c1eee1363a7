import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetStorage
import CarnetStoreTestSupport
import Testing

@testable import CarnetPostgreSQL

/// A server that is not there.
@Suite("Unavailable database")
struct AwayDatabaseTests {
    private final class Waits: Sendable {
        private let count = Lock(0)
        var all: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    private func store(_ address: String, _ waits: Waits) throws -> PostgreSQLStore {
        PostgreSQLStore(
            PostgreSQLConfiguration(Secret(address), poolSize: 2, patience: .seconds(60)),
            key: try .bytes([UInt8](0..<32)), random: SystemRandomSource(), sleep: { _ in waits.add() })
    }

    @Test("One operation waits and the others do not")
    func oneOperationWaitsAndTheOthersDoNot() async throws {
        let waits = Waits()
        let store = try store("host=/nowhere user=carnet", waits)
        await #expect(throws: TokenStoreError.self) { try await store.keys() }
        let first = waits.all
        #expect(first > 0)
        for _ in 0..<10 {
            let error = await #expect(throws: TokenStoreError.self) { try await store.keys() }
            #expect(error?.kind == .unavailable)
        }
        #expect(waits.all == first)
    }

    @Test("Return of the server is noticed by the next operation")
    func returnOfTheServerIsNoticedByTheNextOperation() async throws {
        let cluster = try PostgreSQLCluster()
        defer { cluster.remove() }
        let waits = Waits()
        let store = try store(try cluster.makeDatabase(), waits)
        _ = try await store.keys()
        try cluster.crash()
        await #expect(throws: TokenStoreError.self) { try await store.keys() }
        try cluster.start()
        let before = waits.all
        #expect(try await store.keys().isEmpty)
        #expect(waits.all == before)
    }
}
