import Carnet
import Synchronization

/// Statements on pooled connections: a lost connection is replaced and the statement repeated, for as long as the
/// patience lasts. So every statement has to be one that may be carried out twice.
final class Database: Sendable {
    typealias Sleep = @Sendable (Duration) async throws -> Void

    let configuration: PostgreSQLConfiguration
    let sleep: Sleep
    private let pool: ConnectionPool
    private let schema = SchemaState()
    /// Whether an operation's patience came to its end, and none has succeeded since. The others try and do not wait.
    private let isAway = Mutex(false)

    init(_ configuration: PostgreSQLConfiguration, sleep: @escaping Sleep) {
        self.configuration = configuration
        self.sleep = sleep
        pool = ConnectionPool(limit: configuration.poolSize) { try await DatabaseConnection.open(configuration) }
    }

    /// Runs one statement.
    ///
    /// - Throws: `TokenStoreError`; `CancellationError`.
    func run(_ sql: String, _ values: [DatabaseValue] = []) async throws -> DatabaseRows {
        let limit = configuration.statementTimeout
        return try await retrying { [schema] connection in
            try await schema.prepare(on: connection, within: limit)
            return try await connection.run(sql, values, within: limit)
        }
    }

    /// Runs one statement to its end though the task is cancelled, because its outcome counts.
    ///
    /// - Throws: `TokenStoreError`.
    func runToEnd(_ sql: String, _ values: [DatabaseValue]) async throws -> DatabaseRows {
        try await Task { [self] in try await run(sql, values) }.value
    }

    private func retrying<Result: Sendable>(
        _ body: @Sendable (DatabaseConnection) async throws -> Result
    ) async throws -> Result {
        var waited = Duration.zero
        var pause = Duration.milliseconds(10)
        let started = ContinuousClock.now
        // Every idle connection may have been lost at once: they are gone through without a wait.
        var free = configuration.poolSize
        while true {
            do {
                let result = try await pool.withConnection(waiting: !isAway.withLock { $0 }, body)
                isAway.withLock { $0 = false }
                return result
            } catch let failure as DatabaseFailure {
                guard case .lost = failure else { throw failure.storeError }
                let isOver = max(waited, ContinuousClock.now - started) >= configuration.patience
                if isOver {
                    isAway.withLock { $0 = true }
                    pool.sendWaitersAway(with: failure)
                }
                if isOver || (free == 0 && isAway.withLock { $0 }) { throw failure.storeError }
            }
            guard free == 0 else {
                free -= 1
                continue
            }
            try await sleep(pause)
            waited += pause
            pause = min(pause * 2, .milliseconds(500))
        }
    }
}

/// Whether the tables were seen to be there, once for a process.
private final class SchemaState: Sendable {
    private let isReady = Mutex(false)

    func prepare(on connection: DatabaseConnection, within limit: Duration) async throws {
        guard !isReady.withLock({ $0 }) else { return }
        try await Schema.prepare(on: connection, within: limit)
        isReady.withLock { $0 = true }
    }
}
