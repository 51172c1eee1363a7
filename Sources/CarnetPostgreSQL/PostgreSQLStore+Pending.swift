public import Carnet
public import CarnetProtocol
import CarnetStorage
public import Foundation

extension PostgreSQLStore: PendingStore {
    /// The maximum number of sign-ins. Beyond it, those that expire first are dropped.
    private static let limit = 100_000

    public func keep(_ pending: PendingAuthorization, now: Date) async throws {
        let sealed = try pending.sealedForStore(with: try await sealingKeys(), random: random)
        _ = try await database.runToEnd(
            """
            WITH expired AS (DELETE FROM carnet_pending WHERE expires_at <= $4::float8),
            surplus AS (
                DELETE FROM carnet_pending WHERE id IN (
                    SELECT id FROM carnet_pending ORDER BY expires_at DESC OFFSET \(Self.limit - 1) LIMIT 100
                )
            )
            INSERT INTO carnet_pending (id, expires_at, sealed) VALUES ($1, $2::float8, $3)
            ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at, sealed = excluded.sealed
            """,
            [
                .text(pending.storageID), .text(String(pending.expiresAt.timeIntervalSince1970)), .text(sealed),
                .text(String(now.timeIntervalSince1970)),
            ]
        )
    }

    public func take(_ id: Secret, now: Date) async throws -> PendingAuthorization? {
        let rows = try await database.runToEnd(
            "DELETE FROM carnet_pending WHERE id = $1 RETURNING sealed",
            [.text(PendingAuthorization.storageID(id))]
        )
        guard !rows.rows.isEmpty else { return nil }
        let ring = try await keySource.keysForOpening("the pending sign-in")
        return try PendingAuthorization.unsealed(rows.text(0, 0), with: ring, now: now)
    }
}
