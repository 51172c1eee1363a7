public import Carnet
import CarnetDescriptors
import CarnetProtocol
public import CarnetStorage

/// Keeps connections and pending sign-ins in a PostgreSQL database that many machines share.
///
/// Records are encrypted with AES-256-GCM in this process. Names of providers and accounts are not encrypted. The
/// tables `carnet_…` are created at the first use, in the first schema of the search path.
public final class PostgreSQLStore: SessionIndexedTokenStore, InventoriedStore {
    let database: Database
    let keySource: StoreKeySource
    let random: any RandomSource
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
        _ configuration: PostgreSQLConfiguration,
        key: StoreKeySource,
        schema: Schema = .current,
        random: any RandomSource,
        sleep: @escaping Database.Sleep
    ) {
        database = Database(configuration, schema: schema, sleep: sleep)
        keySource = key
        self.random = random
        let number = random.bytes(count: 8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        beacon = Beacon(configuration, process: Int64(bitPattern: number))
    }

    public func load(_ key: ConnectionKey) async throws -> StoredConnection? {
        let id = try RecordID(key)
        let rows = try await database.run(
            "SELECT revision, record FROM carnet_connection WHERE id = $1", [.text(id.text)])
        guard !rows.rows.isEmpty else { return nil }
        let place = "the record \(id.text.prefix(16))"
        let record = try SealedRecord(rows.bytes(0, 1), at: place)
        let connection = try record.open(of: key, with: try await keySource.keysForOpening(place), at: place)
        return StoredConnection(connection: connection, revision: rows.text(0, 0))
    }

    public func save(_ connection: Connection, replacing revision: String?) async throws -> String {
        let id = try RecordID(connection.key)
        try connection.key.requireNoNUL()
        // A cancelled task with new tokens must still save them.
        return try await Task { [self] in
            let ring = try await sealingKeys()
            let record = try SealedRecord.seal(connection, with: ring, nonce: random.bytes(count: 12))
            let new = SealedRecord.revision(of: record)
            let hashes = SessionHashes(connection)
            // New tokens are saved as long as no other process can refresh the old ones, even if the database is down
            // for long.
            let lease = lease(of: id)
            var values: [DatabaseValue] = [
                .text(id.text), .text(connection.key.provider), .text(connection.key.account), .text(ring.first.id),
                .text(new), .bytes(record), .text(hashes.user), .text(hashes.session),
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
                return new
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
            guard rows.changed == 1 else {
                throw TokenStoreError(.conflict, "another process saved or removed this account first")
            }
            return new
        }.value
    }

    /// The refresh's lock, which is a write, already shows whether there is room.
    public func prepareToSave(_ key: ConnectionKey) async throws {
        _ = try await sealingKeys()
    }

    /// If a response was lost and the statement repeated, the earlier removal does not count.
    @discardableResult
    public func remove(_ key: ConnectionKey, ifRevision revision: String?) async throws -> Bool {
        let rows = try await database.runToEnd(
            "DELETE FROM carnet_connection WHERE id = $1 AND ($2 = '' OR revision = $2)",
            [.text(try RecordID(key).text), .text(revision ?? "")])
        return rows.changed > 0
    }

    public func keys(of provider: String, endedBy ended: EndedSession) async throws -> [ConnectionKey] {
        let hashes = SessionHashes(ended)
        let rows = try await database.run(
            """
            SELECT account FROM carnet_connection WHERE provider = $1
            AND (user_hash = NULLIF($2, '') OR session_hash = NULLIF($3, '') OR user_hash IS NULL)
            ORDER BY account
            """,
            [.text(provider), .text(hashes.user), .text(hashes.session)]
        )
        let candidates = rows.rows.indices.map { ConnectionKey(provider: provider, account: rows.text($0, 0)) }
        return try await keys(among: candidates, endedBy: ended)
    }

    /// The readable parts of the tables. It needs no key.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`.
    public func inventory() async throws -> StoreInventory {
        let rows = try await database.run("SELECT provider, account, key_id FROM carnet_connection")
        var inventory = StoreInventory()
        for row in rows.rows.indices {
            let key = ConnectionKey(provider: rows.text(row, 0), account: rows.text(row, 1))
            inventory.add(key, sealedBy: rows.text(row, 2))
        }
        inventory.sort()
        return inventory
    }

    func sealingKeys() async throws -> KeyRing {
        try await keySource.keysForSealing(in: "the database", random: random) { [database] in
            try await database.run("SELECT 1 FROM carnet_connection LIMIT 1").rows.isEmpty
        }
    }
}
