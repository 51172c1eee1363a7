import Carnet
package import CarnetFoundation
package import CarnetStorage
import GRDB

extension SQLiteStore {
    /// The maximum number of sign-ins. Beyond it, those that expire first are dropped.
    private static let limit = 10_000

    package func write(_ pending: NewPending, now: Date) async throws {
        try await file.write { database in
            try database.execute(
                sql: "DELETE FROM pending WHERE expires_at <= ?", arguments: [now.timeIntervalSince1970])
            try database.execute(
                sql: """
                    DELETE FROM pending WHERE id IN (
                        SELECT id FROM pending ORDER BY expires_at DESC LIMIT 100 OFFSET \(Self.limit - 1)
                    )
                    """
            )
            try database.execute(
                sql: "INSERT OR REPLACE INTO pending (id, expires_at, sealed) VALUES (?, ?, ?)",
                arguments: [pending.id, pending.expiresAt.timeIntervalSince1970, pending.text]
            )
        }
    }

    package func takePending(_ id: String) async throws -> String? {
        try await file.write { database in
            try String.fetchOne(
                database, sql: "DELETE FROM pending WHERE id = ? RETURNING sealed", arguments: [id])
        }
    }
}
