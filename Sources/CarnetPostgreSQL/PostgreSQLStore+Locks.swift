public import Carnet
import CarnetStorage

/// A lock is a row with an owner and an end: unlike an advisory lock it outlives a connection that was cut, or a server
/// that restarts, while its owner is at the provider. To take it is a write, so that nobody spends a refresh token
/// while the database takes none.
extension PostgreSQLStore {
    public func withLock<Result: Sendable>(
        on key: ConnectionKey,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let id = try RecordID(key)
        return try await queues.withLock(on: id) { [self] in
            let owner = random.bytes(count: 16).hexadecimal
            try await acquire(id, owner)
            let renewal = Task { [self] in try await keepRenewing(id, owner) }
            let outcome: Swift.Result<Result, any Error>
            do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
            renewal.cancel()
            // A row that cannot be removed now ends by itself.
            _ = try? await database.runToEnd(
                "DELETE FROM carnet_lock WHERE id = $1 AND owner = $2", [.text(id.text), .text(owner)])
            return try outcome.get()
        }
    }

    private var lease: DatabaseValue { .text("\(database.configuration.lease.milliseconds) milliseconds") }

    private func acquire(_ id: RecordID, _ owner: String) async throws {
        var waited = Duration.zero
        var pause = Duration.milliseconds(5)
        while true {
            try Task.checkCancellation()
            // Those who held a lock when the server went down have as long to come back as if they had just renewed it.
            let rows = try await database.runToEnd(
                """
                INSERT INTO carnet_lock AS held (id, owner, expires_at)
                VALUES ($1, $2, clock_timestamp() + $3::interval)
                ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
                WHERE held.owner = excluded.owner
                OR greatest(held.expires_at, pg_postmaster_start_time() + $3::interval) < clock_timestamp()
                """,
                [.text(id.text), .text(owner), lease]
            )
            if rows.changed == 1 { return }
            guard waited < database.configuration.lockPatience else {
                throw TokenStoreError(
                    .unavailable,
                    "the account is locked: another process has held it for \(database.configuration.lockPatience) "
                        + "or longer"
                )
            }
            try await database.sleep(pause)
            waited += pause
            pause = min(pause * 2, .milliseconds(100))
        }
    }

    private func keepRenewing(_ id: RecordID, _ owner: String) async throws {
        while true {
            try await database.sleep(database.configuration.lease / 4)
            _ = try? await database.run(
                "UPDATE carnet_lock SET expires_at = clock_timestamp() + $3::interval WHERE id = $1 AND owner = $2",
                [.text(id.text), .text(owner), lease]
            )
            try Task.checkCancellation()
        }
    }
}
