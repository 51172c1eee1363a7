import Carnet
import CarnetFoundation
import CarnetStorage
import GRDB

/// The database. It is opened at its first use, and again after a failure.
actor DatabaseFile {
    nonisolated let path: String
    private let busyTimeout: Duration
    private let locks: AccountLocks
    private let schema: Schema
    private let blocking = BlockingCalls(label: "carnet.sqlite-store")
    private var opening: Task<DatabasePool, any Error>?

    init(path: String, busyTimeout: Duration, locks: AccountLocks, schema: Schema = .current) {
        (self.path, self.schema, self.busyTimeout, self.locks) = (path, schema, busyTimeout, locks)
    }

    /// - Throws: `TokenStoreError`; errors of `body`.
    nonisolated func read<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result { try await sayingErrors { try await self.pool().read(body) } }

    /// Runs `body` in a transaction that survives a crash when this returns.
    ///
    /// - Throws: `TokenStoreError`; errors of `body`.
    nonisolated func write<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result { try await sayingErrors { try await self.pool().write(body) } }

    nonisolated func prepare() async throws { try await sayingErrors { _ = try await self.pool() } }

    /// Checks that so many bytes can be written next to the database, and removes them.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`.
    nonisolated func tryWriting(count: Int) throws {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        try PrivateFolder(path: Path.parent(of: path)).tryWriting("\(name)-room", count: count)
    }

    private func pool() async throws -> DatabasePool {
        if let opening { return try await opening.value }
        let task = Task { try await open() }
        opening = task
        do {
            return try await task.value
        } catch {
            opening = nil
            throw error
        }
    }

    private nonisolated func open() async throws -> DatabasePool {
        try await blocking.run { [self] in
            try PrivateFolder(path: Path.parent(of: path)).createIfMissing()
            try PrivateFolder.createFile(path)
            try requireOwn()
        }
        return try await locks.withStoreLock { [self] in
            try await blocking.run { [self] in
                let pool = try DatabasePool(path: path, configuration: configuration)
                // The library's default loses the latest commits in a power failure.
                try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
                let migrator = schema.migrator
                guard try pool.read(schema.isUsable) else {
                    throw TokenStoreError(
                        .unavailable,
                        "\(path) was changed by a newer version of Carnet: use a newer version of the program")
                }
                if try !pool.read(migrator.hasCompletedMigrations) { try migrator.migrate(pool) }
                return pool
            }
        }
    }

    private nonisolated var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(busyTimeout / .seconds(1))
        return configuration
    }

    /// A database of another program is not changed.
    private nonisolated func requireOwn() throws {
        var configuration = configuration
        configuration.readonly = true
        let (id, tables) = try DatabaseQueue(path: path, configuration: configuration).read { database in
            (
                try Int.fetchOne(database, sql: "PRAGMA application_id"),
                try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master")
            )
        }
        guard id == Schema.applicationID || (id == 0 && tables == 0) else {
            throw TokenStoreError(.unavailable, "\(path) is the database of another program")
        }
    }

    private nonisolated func sayingErrors<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as DatabaseError {
            // The error's description is omitted: it repeats the statement.
            let kind: TokenStoreError.Kind =
                [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) ? .unreadable : .unavailable
            let code = error.extendedResultCode.rawValue
            throw TokenStoreError(kind, "\(path): \(error.message ?? "no message") (SQLite \(code))")
        }
    }
}
