import Carnet
import CarnetFoundation

/// Statements on pooled connections. A lost connection is replaced and the statement repeated, until the patience
/// ends. So every statement must be safe to run twice.
final class Database: Sendable {
    typealias Sleep = @Sendable (Duration) async throws -> Void

    let configuration: PostgreSQLConfiguration
    let sleep: Sleep
    private let pool: DatabasePool
    private let schema: Schema
    /// Whether the tables exist; checked once for a process.
    private let isPrepared = Lock(false)
    /// Whether an operation's patience has ended, and none has succeeded since. Then others try without waiting.
    private let isAway = Lock(false)

    init(_ configuration: PostgreSQLConfiguration, schema: Schema, sleep: @escaping Sleep) {
        (self.configuration, self.schema, self.sleep) = (configuration, schema, sleep)
        pool = DatabasePool(limit: configuration.poolSize) { try await DatabaseConnection.open(configuration) }
    }

    /// Runs one statement.
    ///
    /// - Parameter persists: Whether to continue although the patience has ended.
    /// - Throws: `TokenStoreError`; `CancellationError`.
    func run(
        _ sql: String, _ values: [DatabaseValue] = [], persistingWhile persists: @Sendable () -> Bool = { false }
    ) async throws -> DatabaseRows {
        let limit = configuration.statementTimeout
        return try await retrying(persistingWhile: persists) { [self] in
            try await pool.withConnection(waiting: !isAway.withLock(\.self)) { connection in
                if !isPrepared.withLock(\.self) {
                    try await schema.prepare(on: connection, within: limit)
                    isPrepared.withLock { $0 = true }
                }
                return try await connection.run(sql, values, within: limit)
            }
        }
    }

    /// - Throws: `TokenStoreError`; `CancellationError`.
    func light(_ beacon: Beacon) async throws { try await retrying { try await beacon.light() } }

    /// Runs one statement to its end even if the task is cancelled, because its result counts.
    ///
    /// - Throws: `TokenStoreError`.
    func runToEnd(_ sql: String, _ values: [DatabaseValue]) async throws -> DatabaseRows {
        try await Task { [self] in try await run(sql, values) }.value
    }

    private func retrying<Result: Sendable>(
        persistingWhile persists: @Sendable () -> Bool = { false }, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        var spent = Duration.zero
        var pause = Duration.milliseconds(10)
        // Every idle connection may be lost at once: they are tried without a wait.
        var free = configuration.poolSize
        while true {
            let started = ContinuousClock.now
            do {
                let result = try await body()
                isAway.withLock { $0 = false }
                return result
            } catch let failure as DatabaseFailure {
                guard case .lost = failure else { throw failure.storeError }
                // No single try uses up the patience: the process may have been stopped during it.
                spent += min(ContinuousClock.now - started, configuration.patience / 2)
                let isOver = spent >= configuration.patience
                if isOver {
                    isAway.withLock { $0 = true }
                    pool.sendWaitersAway(with: failure)
                }
                if isOver || (free == 0 && isAway.withLock(\.self)), !persists() { throw failure.storeError }
            }
            guard free == 0 else {
                free -= 1
                continue
            }
            try await sleep(pause)
            spent += pause
            pause = min(pause * 2, .milliseconds(500))
        }
    }
}
