package import Carnet
package import CarnetFoundation
package import CarnetProtocol
public import CarnetStorage
import GRDB

/// Keeps connections and pending sign-ins in a SQLite database that the processes of one machine share.
///
/// Records are encrypted with AES-256-GCM. Names of providers and accounts are not encrypted. SQLite's own files
/// (`-wal`, `-shm`) and a lock file (`-lock`) are next to the database. The database must be on a local disk.
public final class SQLiteStore: DatabaseStore {
    /// More than a record grows in a refresh, in bytes.
    private static let growth = 64 << 10
    /// The maximum number of sign-ins. Beyond it, those that expire first are dropped.
    private static let pendingLimit = 10_000

    let file: DatabaseFile
    package let keySource: StoreKeySource
    package let random: any RandomSource
    package let recent = RecentRecords()
    private let locks: AccountLocks

    /// Creates the store without opening the database.
    ///
    /// - Parameters:
    ///   - path: The database. It is created at the first use and private to its owner.
    ///   - busyTimeout: How long to wait while another process writes.
    ///   - lockPatience: How long to wait for another process that uses the same account.
    public convenience init(
        path: String,
        key: StoreKeySource,
        busyTimeout: Duration = .seconds(10),
        lockPatience: Duration = .seconds(60)
    ) {
        self.init(
            path: path, key: key, busyTimeout: busyTimeout, lockPatience: lockPatience, random: SystemRandomSource(),
            sleep: { try await Task.sleep(for: $0) })
    }

    init(
        path: String, key: StoreKeySource, busyTimeout: Duration, lockPatience: Duration, schema: Schema = .current,
        random: any RandomSource, sleep: @escaping FileLock.Sleep
    ) {
        locks = AccountLocks(path: path + "-lock", patience: lockPatience, sleep: sleep)
        file = DatabaseFile(path: path, busyTimeout: busyTimeout, locks: locks, schema: schema)
        keySource = key
        self.random = random
    }

    package func read(_ id: RecordID) async throws -> (bytes: [UInt8], place: String)? {
        let record = try await file.read { database in
            try Data.fetchOne(database, sql: "SELECT record FROM connection WHERE id = ?", arguments: [id.text])
        }
        return record.map { (Array($0), "the record \(id.text.prefix(16)) of \(file.path)") }
    }

    package func write(_ record: NewRecord, replacing revision: String?) async throws -> Bool {
        try record.key.requireNoNUL()
        return try await file.write { database in
            if let revision {
                let sql = "SELECT revision FROM connection WHERE id = ?"
                guard try String.fetchOne(database, sql: sql, arguments: [record.id.text]) == revision else {
                    return false
                }
            }
            let hashes = record.hashes
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO connection
                    (id, provider, account, key_id, revision, record, user_hash, session_hash)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    record.id.text, record.key.provider, record.key.account, record.keyID, record.revision,
                    Data(record.bytes), hashes.user, hashes.session,
                ]
            )
            return true
        }
    }

    package func tryWriting(_ id: RecordID) async throws {
        try await file.write { [file] database in
            try database.execute(sql: "UPDATE connection SET record = record WHERE id = ?", arguments: [id.text])
            let sql = "SELECT length(record) FROM connection WHERE id = ?"
            let size = try Int.fetchOne(database, sql: sql, arguments: [id.text]) ?? 0
            // This transaction may fit where the next one does not, and a save writes each page twice: it frees
            // the pages of the old record. No other process can write at the same time.
            try file.tryWriting(count: 2 * (size + Self.growth))
        }
    }

    package func remove(_ id: RecordID, ifRevision revision: String?) async throws -> Bool {
        try await writing { [file] in
            try await file.write { database in
                try database.execute(
                    sql: "DELETE FROM connection WHERE id = ? AND revision = ifnull(?, revision)",
                    arguments: [id.text, revision])
                return database.changesCount > 0
            }
        }
    }

    package func accounts(at provider: String, _ hashes: SessionHashes) async throws -> [ConnectionKey] {
        try await file.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT provider, account FROM connection WHERE provider = ?
                    AND (user_hash = NULLIF(?, '') OR session_hash = NULLIF(?, '') OR user_hash IS NULL)
                    ORDER BY account
                    """,
                arguments: [provider, hashes.user, hashes.session]
            )
            .map { ConnectionKey(provider: $0[0], account: $0[1]) }
        }
    }

    /// The readable parts of the tables. It needs no key.
    ///
    /// - Throws: `TokenStoreError`.
    public func inventory() async throws -> StoreInventory {
        try await file.read { database in
            var inventory = StoreInventory()
            let rows = try Row.fetchCursor(database, sql: "SELECT provider, account, key_id FROM connection")
            while let row = try rows.next() {
                inventory.add(ConnectionKey(provider: row[0], account: row[1]), encryptedWith: row[2])
            }
            inventory.sort()
            return inventory
        }
    }

    package func withLock<Result: Sendable>(
        on id: RecordID, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await file.prepare()
        return try await locks.withLock(on: id, body)
    }

    package func encryptionKeys() async throws -> KeyRing {
        try await keySource.keysToEncrypt(in: file.path, random: random) { [file] in
            try await file.read { try Row.fetchOne($0, sql: "SELECT 1 FROM connection LIMIT 1") == nil }
        }
    }

    package func write(_ pending: NewPending, now: Date) async throws {
        try await file.write { database in
            try database.execute(
                sql: "DELETE FROM pending WHERE expires_at <= ?", arguments: [now.timeIntervalSince1970])
            try database.execute(
                sql: """
                    DELETE FROM pending WHERE id IN (
                        SELECT id FROM pending ORDER BY expires_at DESC LIMIT 100 OFFSET \(Self.pendingLimit - 1)
                    )
                    """
            )
            try database.execute(
                sql: "INSERT OR REPLACE INTO pending (id, expires_at, sealed) VALUES (?, ?, ?)",
                arguments: [pending.id, pending.expiresAt.timeIntervalSince1970, pending.text])
        }
    }

    package func takePending(_ id: String) async throws -> String? {
        try await file.write { database in
            try String.fetchOne(
                database, sql: "DELETE FROM pending WHERE id = ? RETURNING sealed", arguments: [id])
        }
    }

    package func use(_ token: UsedTokenID, until end: Date, now: Date) async throws -> Bool {
        try await file.write { database in
            try database.execute(
                sql: "DELETE FROM used_token WHERE expires_at <= ?", arguments: [now.timeIntervalSince1970])
            try database.execute(
                sql: "INSERT OR IGNORE INTO used_token (id, expires_at) VALUES (?, ?)",
                arguments: [token.text, end.timeIntervalSince1970])
            return database.changesCount == 1
        }
    }

    package func forget(_ token: UsedTokenID) async throws {
        try await file.write { database in
            try database.execute(sql: "DELETE FROM used_token WHERE id = ?", arguments: [token.text])
        }
    }
}
