import Carnet
import CarnetStorage
import Foundation
import GRDB

/// The database. It is opened at its first use, and again after a failure.
actor DatabaseFile {
    /// The application id in the file's header: `carn` in ASCII.
    private static let applicationID = 0x6361_726E

    nonisolated let path: String
    private let busyTimeout: Duration
    private let locks: AccountLocks
    private let blocking = BlockingCalls(label: "carnet.sqlite-store")
    private var opening: Task<DatabasePool, any Error>?

    init(path: String, busyTimeout: Duration, locks: AccountLocks) {
        self.path = path
        self.busyTimeout = busyTimeout
        self.locks = locks
    }

    /// - Throws: `TokenStoreError`; errors of `body`.
    nonisolated func read<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await sayingErrors { try await self.pool().read(body) }
    }

    /// Runs `body` in a transaction that survives a crash when this returns.
    ///
    /// - Throws: `TokenStoreError`; errors of `body`.
    nonisolated func write<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await sayingErrors { try await self.pool().write(body) }
    }

    nonisolated func prepare() async throws {
        try await sayingErrors { _ = try await self.pool() }
    }

    /// Checks that so many bytes can be written next to the database, and removes them.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`.
    nonisolated func tryWriting(count: Int) throws {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        try PrivateFolder(path: folder ?? ".").tryWriting("\(name)-room", count: count)
    }

    private nonisolated var folder: String? {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
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
            if let folder { try PrivateFolder(path: folder).createIfMissing() }
            try PrivateFolder.createFile(path)
            try requireOwn()
        }
        return try await locks.withStoreLock { [self] in
            try await blocking.run { [self] in
                let pool = try DatabasePool(path: path, configuration: configuration)
                // The library's default loses the latest commits in a power failure.
                try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
                let migrator = Self.migrator
                guard try !pool.read(migrator.hasBeenSuperseded) else {
                    throw TokenStoreError(
                        .unavailable,
                        "\(path) was created by a newer version of Carnet: use a newer version of the program")
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
        guard id == Self.applicationID || (id == 0 && tables == 0) else {
            throw TokenStoreError(.unavailable, "\(path) is the database of another program")
        }
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    PRAGMA application_id = \(applicationID);
                    CREATE TABLE connection (
                        id TEXT NOT NULL PRIMARY KEY,
                        provider TEXT NOT NULL,
                        account TEXT NOT NULL,
                        key_id TEXT NOT NULL,
                        revision TEXT NOT NULL,
                        record BLOB NOT NULL
                    );
                    CREATE TABLE pending (
                        id TEXT NOT NULL PRIMARY KEY,
                        expires_at REAL NOT NULL,
                        sealed TEXT NOT NULL
                    );
                    CREATE INDEX pending_expires_at ON pending (expires_at);
                    """
            )
        }
        migrator.registerMigration("2") { database in
            try database.execute(
                sql: """
                    -- Null as long as no version that knows them has saved the record.
                    ALTER TABLE connection ADD COLUMN user_hash TEXT;
                    ALTER TABLE connection ADD COLUMN session_hash TEXT;
                    CREATE INDEX connection_user_hash ON connection (user_hash);
                    CREATE INDEX connection_session_hash ON connection (session_hash);
                    CREATE TABLE used_token (
                        id TEXT NOT NULL PRIMARY KEY,
                        expires_at REAL NOT NULL
                    );
                    CREATE INDEX used_token_expires_at ON used_token (expires_at);
                    """
            )
        }
        return migrator
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
