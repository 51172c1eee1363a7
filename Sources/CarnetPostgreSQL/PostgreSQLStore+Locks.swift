public import Carnet
package import CarnetStorage

/// A lock is a row with an owner and an expiry. Unlike an advisory lock, it survives a lost connection or a restart
/// of the server while its owner waits for the provider. Taking it is a write, so nobody uses a refresh token while
/// the database is read-only.
///
/// The row is free once it has expired and its owner's beacon is gone. A stopped process, which does not extend its
/// row, keeps the lock for as long as the database sees its connection.
extension PostgreSQLStore {
    /// The number of lease durations after which a row is free although its owner's beacon still exists: a router may
    /// keep the connection of a lost machine open.
    private static let longestSilence = 10

    package func withLock<Result: Sendable>(
        on id: RecordID, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        return try await queues.withLock(on: id) { [self] in
            let lease = try await acquire(id)
            leases.withLock { $0[id] = lease }
            let keeper = Task { [self] in try await keepExtending(lease) }
            let outcome: Swift.Result<Result, any Error>
            do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
            keeper.cancel()
            leases.withLock { $0[id] = nil }
            await release(lease)
            return try outcome.get()
        }
    }

    public func holdLock(on key: ConnectionKey, for duration: Duration) async throws -> ContinuousClock.Instant? {
        let id = try RecordID(key)
        guard let lease = leases.withLock({ $0[id] }) else { throw Lease.lost }
        if let end = lease.end, end - .now >= duration { return end }
        return try await extend(lease, by: max(duration, database.configuration.lease))
    }

    /// The lease of an account that this store has locked.
    func lease(of id: RecordID) -> Lease? { leases.withLock { $0[id] } }

    private func acquire(_ id: RecordID) async throws -> Lease {
        let owner = random.bytes(count: 16).hexadecimal
        let duration = database.configuration.lease
        var waited = Duration.zero
        var pause = Duration.milliseconds(5)
        while true {
            try Task.checkCancellation()
            try await database.light(beacon)
            let started = ContinuousClock.now
            // After a restart of the server, holders have as long as if they had just extended their rows.
            // A row of this store is a leftover: its own users wait in the queue.
            let rows = try await database.runToEnd(
                """
                INSERT INTO carnet_lock AS held (id, owner, process, expires_at)
                VALUES ($1, $2, $3::bigint, clock_timestamp() + $4::interval)
                ON CONFLICT (id) DO UPDATE
                SET owner = excluded.owner, process = excluded.process, expires_at = excluded.expires_at
                WHERE held.owner = excluded.owner OR held.process = excluded.process OR CASE
                    WHEN greatest(held.expires_at, pg_postmaster_start_time() + $4::interval) >= clock_timestamp()
                    THEN false
                    WHEN held.process IS NULL
                    OR held.expires_at + \(Self.longestSilence) * $4::interval < clock_timestamp() THEN true
                    ELSE pg_try_advisory_xact_lock(held.process)
                END
                """,
                [.text(id.text), .text(owner), .text(String(beacon.process)), .duration(duration)]
            )
            if rows.changed == 1 { return Lease(id, owner: owner, end: started + duration) }
            guard waited < database.configuration.lockPatience else {
                throw TokenStoreError(
                    .locked,
                    "the account is locked: another process has held the lock for \(database.configuration.lockPatience) "
                        + "or longer"
                )
            }
            try await database.sleep(pause)
            waited += pause
            pause = min(pause * 2, .milliseconds(100))
        }
    }

    /// - Throws: `TokenStoreError`: `conflict` if another process has the lock; `unavailable`.
    @discardableResult
    private func extend(_ lease: Lease, by duration: Duration) async throws -> ContinuousClock.Instant {
        let started = ContinuousClock.now
        let rows = try await database.run(
            """
            UPDATE carnet_lock SET expires_at = greatest(expires_at, clock_timestamp() + $3::interval)
            WHERE id = $1 AND owner = $2
            """,
            [.text(lease.id.text), .text(lease.owner), .duration(duration)]
        )
        guard rows.changed == 1 else {
            lease.lose()
            throw Lease.lost
        }
        return try lease.extend(to: started + duration)
    }

    /// Runs until it is cancelled, or the lease is lost. A failed extension is tried again.
    private func keepExtending(_ lease: Lease) async throws {
        let duration = database.configuration.lease
        while true {
            try await database.sleep(duration / 4)
            do {
                try await database.light(beacon)
                try await extend(lease, by: duration)
            } catch let error as TokenStoreError where error.kind == .unavailable {
                continue
            }
        }
    }

    /// A row that cannot be removed now is removed later: its owner lives, so no other process would take it soon.
    private func release(_ lease: Lease) async {
        guard (try? await remove(lease)) == nil else { return }
        Task { [self] in
            for _ in 0..<Self.longestSilence * 4 {
                try await database.sleep(database.configuration.lease / 4)
                if (try? await remove(lease)) != nil { return }
            }
        }
    }

    private func remove(_ lease: Lease) async throws {
        _ = try await database.runToEnd(
            "DELETE FROM carnet_lock WHERE id = $1 AND owner = $2", [.text(lease.id.text), .text(lease.owner)])
    }
}
