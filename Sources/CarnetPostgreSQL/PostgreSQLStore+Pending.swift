package import CarnetFoundation
package import CarnetStorage

extension PostgreSQLStore {
    /// The maximum number of sign-ins. Beyond it, those that expire first are dropped.
    private static let limit = 100_000

    package func write(_ pending: NewPending, now: Date) async throws {
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
}
