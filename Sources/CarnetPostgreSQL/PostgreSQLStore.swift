package import Carnet
package import CarnetFoundation
package import CarnetProtocol
public import CarnetStorage

/// Keeps connections and pending sign-ins in a PostgreSQL database that many machines share.
///
/// Records are encrypted with AES-256-GCM in this process. Names of providers and accounts are not encrypted. The
/// tables `carnet_…` are created at the first use, in the first schema of the search path.
public final class PostgreSQLStore: DatabaseStore {
    /// The maximum number of sign-ins. Beyond it, those that expire first are dropped.
    private static let pendingLimit = 100_000

    let database: Database
    package let keySource: StoreKeySource
    package let random: any RandomSource
    package let recent = RecentRecords()
    let queues = KeyedLocks<RecordID>()
    let beacon: Beacon
    /// The leases of the accounts that are locked here.
    let leases = Lock<[RecordID: Lease]>([:])

    /// Creates the store without connecting.
    ///
    /// - Parameter key: The source of the keys. Every process that uses the database needs the same keys.
    public convenience init(_ configuration: PostgreSQLConfiguration, key: StoreKeySource) {
        self.init(
            configuration, key: key, random: SystemRandomSource(), sleep: { try await Task.sleep(for: $0) })
    }

    init(
        _ configuration: PostgreSQLConfiguration, key: StoreKeySource, schema: Schema = .current,
        random: any RandomSource, sleep: @escaping Database.Sleep
    ) {
        database = Database(configuration, schema: schema, sleep: sleep)
        keySource = key
        self.random = random
        let number = random.bytes(count: 8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        beacon = Beacon(configuration, process: Int64(bitPattern: number))
    }

    package func read(_ id: RecordID) async throws -> (bytes: [UInt8], place: String)? {
        let rows = try await database.run("SELECT record FROM carnet_connection WHERE id = $1", [.text(id.text)])
        guard !rows.rows.isEmpty else { return nil }
        return (rows.bytes(0, 0), "the record \(id.text.prefix(16))")
    }

    package func write(_ record: NewRecord, replacing revision: String?) async throws -> Bool {
        try record.key.requireNoNUL()
        // New tokens are saved as long as no other process can refresh the old ones, even if the database is down
        // for long.
        let lease = lease(of: record.id)
        let hashes = record.hashes
        var values: [DatabaseValue] = [
            .text(record.id.text), .text(record.key.provider), .text(record.key.account), .text(record.keyID),
            .text(record.revision), .bytes(record.bytes), .text(hashes.user), .text(hashes.session),
        ]
        guard let revision else {
            _ = try await database.run(
                """
                INSERT INTO carnet_connection
                (id, provider, account, key_id, revision, record, user_hash, session_hash)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                ON CONFLICT (id) DO UPDATE SET provider = excluded.provider, account = excluded.account, \
                key_id = excluded.key_id, revision = excluded.revision, record = excluded.record, \
                user_hash = excluded.user_hash, session_hash = excluded.session_hash
                """,
                values, persistingWhile: { lease?.isHeld == true }
            )
            return true
        }
        values.append(.text(revision))
        // If a response was lost and the statement repeated, the new revision is already there.
        let rows = try await database.run(
            """
            UPDATE carnet_connection
            SET provider = $2, account = $3, key_id = $4, revision = $5, record = $6, user_hash = $7, \
            session_hash = $8
            WHERE id = $1 AND revision IN ($5, $9)
            """,
            values, persistingWhile: { lease?.isHeld == true }
        )
        return rows.changed == 1
    }

    /// The refresh's lock, which is a write, already shows whether there is room.
    package func tryWriting(_ id: RecordID) {}

    /// If a response was lost and the statement repeated, the earlier removal does not count.
    package func remove(_ id: RecordID, ifRevision revision: String?) async throws -> Bool {
        let rows = try await database.runToEnd(
            "DELETE FROM carnet_connection WHERE id = $1 AND ($2 = '' OR revision = $2)",
            [.text(id.text), .text(revision ?? "")])
        return rows.changed > 0
    }

    package func accounts(at provider: String, _ hashes: SessionHashes) async throws -> [ConnectionKey] {
        let rows = try await database.run(
            """
            SELECT account FROM carnet_connection WHERE provider = $1
            AND (user_hash = NULLIF($2, '') OR session_hash = NULLIF($3, '') OR user_hash IS NULL)
            ORDER BY account
            """,
            [.text(provider), .text(hashes.user), .text(hashes.session)]
        )
        return rows.rows.indices.map { ConnectionKey(provider: provider, account: rows.text($0, 0)) }
    }

    /// The readable parts of the tables. It needs no key.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`.
    public func inventory() async throws -> StoreInventory {
        let rows = try await database.run("SELECT provider, account, key_id FROM carnet_connection")
        var inventory = StoreInventory()
        for row in rows.rows.indices {
            let key = ConnectionKey(provider: rows.text(row, 0), account: rows.text(row, 1))
            inventory.add(key, encryptedWith: rows.text(row, 2))
        }
        inventory.sort()
        return inventory
    }

    package func encryptionKeys() async throws -> KeyRing {
        try await keySource.keysToEncrypt(in: "the database", random: random) { [database] in
            try await database.run("SELECT 1 FROM carnet_connection LIMIT 1").rows.isEmpty
        }
    }

    package func write(_ pending: NewPending, now: Date) async throws {
        _ = try await database.runToEnd(
            """
            WITH expired AS (DELETE FROM carnet_pending WHERE expires_at <= $4::float8),
            surplus AS (
                DELETE FROM carnet_pending WHERE id IN (
                    SELECT id FROM carnet_pending ORDER BY expires_at DESC OFFSET \(Self.pendingLimit - 1) LIMIT 100
                )
            )
            INSERT INTO carnet_pending (id, expires_at, sealed) VALUES ($1, $2::float8, $3)
            ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at, sealed = excluded.sealed
            """,
            [
                .text(pending.id), .text(String(pending.expiresAt.timeIntervalSince1970)), .text(pending.text),
                .text(String(now.timeIntervalSince1970)),
            ]
        )
    }

    package func takePending(_ id: String) async throws -> String? {
        let rows = try await database.runToEnd(
            "DELETE FROM carnet_pending WHERE id = $1 RETURNING sealed", [.text(id)])
        return rows.rows.isEmpty ? nil : rows.text(0, 0)
    }

    package func use(_ token: UsedTokenID, until end: Date, now: Date) async throws -> Bool {
        // A statement that is repeated because its response was lost still has the token.
        let owner = random.bytes(count: 16).hexadecimal
        let rows = try await database.runToEnd(
            """
            WITH expired AS (DELETE FROM carnet_used_token WHERE expires_at <= $4::float8 AND id <> $1)
            INSERT INTO carnet_used_token AS used (id, owner, expires_at) VALUES ($1, $2, $3::float8)
            ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
            WHERE used.owner = excluded.owner OR used.expires_at <= $4::float8
            """,
            [
                .text(token.text), .text(owner), .text(String(end.timeIntervalSince1970)),
                .text(String(now.timeIntervalSince1970)),
            ]
        )
        return rows.changed == 1
    }

    package func forget(_ token: UsedTokenID) async throws {
        _ = try await database.runToEnd("DELETE FROM carnet_used_token WHERE id = $1", [.text(token.text)])
    }
}
