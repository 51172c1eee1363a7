public import Carnet
import CarnetProtocol
public import CarnetStorage
import Foundation
import GRDB

/// Keeps connections and pending sign-ins in a SQLite database that the processes of one machine share.
///
/// Records are encrypted with AES-256-GCM. Names of providers and accounts are not encrypted. SQLite's own files
/// (`-wal`, `-shm`) and a lock file (`-lock`) are next to the database. The database must be on a local disk.
public final class SQLiteStore: SessionIndexedTokenStore, InventoriedStore {
    /// More than a record grows in a refresh, in bytes.
    private static let growth = 64 << 10

    let file: DatabaseFile
    let keySource: StoreKeySource
    let random: any RandomSource
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
            path: path,
            key: key,
            busyTimeout: busyTimeout,
            lockPatience: lockPatience,
            random: SystemRandomSource(),
            sleep: { try await Task.sleep(for: $0) }
        )
    }

    init(
        path: String,
        key: StoreKeySource,
        busyTimeout: Duration,
        lockPatience: Duration,
        schema: Schema = .current,
        random: any RandomSource,
        sleep: @escaping FileLock.Sleep
    ) {
        locks = AccountLocks(path: path + "-lock", patience: lockPatience, sleep: sleep)
        file = DatabaseFile(path: path, busyTimeout: busyTimeout, locks: locks, schema: schema)
        keySource = key
        self.random = random
    }

    public func load(_ key: ConnectionKey) async throws -> StoredConnection? {
        let id = try RecordID(key)
        let row = try await file.read { database in
            try Row.fetchOne(
                database, sql: "SELECT revision, record FROM connection WHERE id = ?", arguments: [id.text]
            )
            .map { row -> (revision: String, record: Data) in (row[0], row[1]) }
        }
        guard let row else { return nil }
        let place = "the record \(id.text.prefix(16)) of \(file.path)"
        let record = try SealedRecord(Array(row.record), at: place)
        let connection = try record.open(of: key, with: try await keySource.keysForOpening(place), at: place)
        return StoredConnection(connection: connection, revision: row.revision)
    }

    public func save(_ connection: Connection, replacing revision: String?) async throws -> String {
        let id = try RecordID(connection.key)
        let key = connection.key
        try key.requireNoNUL()
        // A cancelled task with new tokens must still save them.
        return try await Task { [self] in
            let ring = try await sealingKeys()
            let record = try SealedRecord.seal(connection, with: ring, nonce: random.bytes(count: 12))
            let new = SealedRecord.revision(of: record)
            let hashes = SessionHashes(connection)
            try await file.write { database in
                if let revision {
                    let sql = "SELECT revision FROM connection WHERE id = ?"
                    guard try String.fetchOne(database, sql: sql, arguments: [id.text]) == revision else {
                        throw TokenStoreError(.conflict, "another process saved or removed this account first")
                    }
                }
                try database.execute(
                    sql: """
                        INSERT OR REPLACE INTO connection
                        (id, provider, account, key_id, revision, record, user_hash, session_hash)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        id.text, key.provider, key.account, ring.first.id, new, Data(record), hashes.user,
                        hashes.session,
                    ]
                )
            }
            return new
        }.value
    }

    public func prepareToSave(_ key: ConnectionKey) async throws {
        let id = try RecordID(key)
        try await Task { [self] in
            _ = try await sealingKeys()
            try await file.write { [file] database in
                try database.execute(sql: "UPDATE connection SET record = record WHERE id = ?", arguments: [id.text])
                let sql = "SELECT length(record) FROM connection WHERE id = ?"
                let size = try Int.fetchOne(database, sql: sql, arguments: [id.text]) ?? 0
                // This transaction may fit where the next one does not, and a save writes each page twice: it frees
                // the pages of the old record. No other process can write at the same time.
                try file.tryWriting(count: 2 * (size + Self.growth))
            }
        }.value
    }

    @discardableResult
    public func remove(_ key: ConnectionKey, ifRevision revision: String?) async throws -> Bool {
        let id = try RecordID(key)
        return try await Task { [self] in
            try await file.write { database in
                try database.execute(
                    sql: "DELETE FROM connection WHERE id = ? AND revision = ifnull(?, revision)",
                    arguments: [id.text, revision])
                return database.changesCount > 0
            }
        }.value
    }

    public func keys(of provider: String, endedBy ended: EndedSession) async throws -> [ConnectionKey] {
        let hashes = SessionHashes(ended)
        let candidates = try await file.read { database in
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
        return try await keys(among: candidates, endedBy: ended)
    }

    /// The readable parts of the tables. It needs no key.
    ///
    /// - Throws: `TokenStoreError`.
    public func inventory() async throws -> StoreInventory {
        try await file.read { database in
            var inventory = StoreInventory()
            let rows = try Row.fetchCursor(database, sql: "SELECT provider, account, key_id FROM connection")
            while let row = try rows.next() {
                inventory.add(ConnectionKey(provider: row[0], account: row[1]), sealedBy: row[2])
            }
            inventory.sort()
            return inventory
        }
    }

    public func withLock<Result: Sendable>(
        on key: ConnectionKey,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let id = try RecordID(key)
        try await file.prepare()
        return try await locks.withLock(on: id, body)
    }

    func sealingKeys() async throws -> KeyRing {
        try await keySource.keysForSealing(in: file.path, random: random) { [file] in
            try await file.read { try Row.fetchOne($0, sql: "SELECT 1 FROM connection LIMIT 1") == nil }
        }
    }
}
