import CarnetFoundation
import CarnetProtocol
import CarnetStoreTestSupport
import Testing

@testable import CarnetPostgreSQL

@Suite("Database pool")
struct DatabasePoolTests {
    private struct Refused: Error {}

    /// A number that closures share.
    private final class Count: Sendable {
        private let numbers = Lock((now: 0, most: 0))
        var now: Int { numbers.withLock { $0.now } }
        var most: Int { numbers.withLock { $0.most } }
        func add(_ number: Int = 1) {
            numbers.withLock { $0 = ($0.now + number, max($0.most, $0.now + number)) }
        }
    }

    /// How many connections were opened.
    private let opened = Count()

    /// A pool whose connections are closed, so that none can be used again.
    private func poolOfClosedConnections(limit: Int) -> DatabasePool {
        DatabasePool(limit: limit) { [opened] in
            opened.add()
            return DatabaseConnection()
        }
    }

    @Test("A connection is opened on demand and used again")
    func usedAgain() async throws {
        let configuration = PostgreSQLConfiguration(Secret(try PostgreSQLCluster.shared().makeDatabase()), tls: .none)
        let pool = DatabasePool(limit: 2) { [opened] in
            opened.add()
            return try await DatabaseConnection.open(configuration)
        }
        #expect(opened.now == 0)
        let first = try await pool.withConnection(waiting: false) { $0 }
        let second = try await pool.withConnection(waiting: false) { $0 }
        #expect(first === second && opened.now == 1)
    }

    @Test("A closed connection is not used again, and takes no place")
    func closedConnection() async throws {
        let pool = poolOfClosedConnections(limit: 1)
        for _ in 0..<3 { try await pool.withConnection(waiting: false) { _ in } }
        #expect(opened.now == 3)
    }

    @Test("At the limit, a caller that does not wait is refused")
    func refusedAtTheLimit() async throws {
        let pool = poolOfClosedConnections(limit: 2)
        try await pool.withConnection(waiting: false) { _ in
            try await pool.withConnection(waiting: false) { _ in
                await #expect(throws: DatabaseFailure.self) { try await pool.withConnection(waiting: false) { _ in } }
            }
            try await pool.withConnection(waiting: false) { _ in }
        }
    }

    @Test("Callers that wait are all served, and never more than the limit at a time")
    func waiting() async throws {
        let pool = poolOfClosedConnections(limit: 3)
        let use = Count()
        let served = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await pool.withConnection(waiting: true) { _ in
                        use.add()
                        for _ in 0..<5 { await Task.yield() }
                        use.add(-1)
                        return 1
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(served == 50)
        #expect((1...3).contains(use.most))
    }

    @Test("A failure to open, and one of the caller, free the place")
    func failures() async throws {
        let pool = DatabasePool(limit: 1) { [opened] in
            opened.add()
            if opened.now == 1 { throw Refused() }
            return DatabaseConnection()
        }
        await #expect(throws: Refused.self) { try await pool.withConnection(waiting: false) { _ in } }
        await #expect(throws: Refused.self) { try await pool.withConnection(waiting: false) { _ in throw Refused() } }
        try await pool.withConnection(waiting: false) { _ in }
    }

    @Test("A task that is cancelled while it waits, or before, gets no connection and takes no place")
    func cancelled() async throws {
        let pool = poolOfClosedConnections(limit: 1)
        try await pool.withConnection(waiting: false) { _ in
            let waiter = Task { try await pool.withConnection(waiting: true) { _ in } }
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
        }
        try await pool.withConnection(waiting: false) { _ in }
    }
}
