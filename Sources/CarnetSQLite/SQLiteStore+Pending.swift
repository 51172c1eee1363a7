public import Carnet
public import CarnetProtocol
import CarnetStorage
public import Foundation
import GRDB

extension SQLiteStore: PendingStore {
    /// The maximum number of sign-ins. Beyond it, those that expire first are dropped.
    private static let limit = 10_000

    public func keep(_ pending: PendingAuthorization, now: Date) async throws {
        let sealed = try pending.sealedForStore(with: try await sealingKeys(), random: random)
        let expiresAt = pending.expiresAt.timeIntervalSince1970
        let id = pending.storageID
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
                arguments: [id, expiresAt, sealed]
            )
        }
    }

    public func take(_ id: Secret, now: Date) async throws -> PendingAuthorization? {
        let sealed = try await file.write { database in
            try String.fetchOne(
                database,
                sql: "DELETE FROM pending WHERE id = ? RETURNING sealed",
                arguments: [PendingAuthorization.storageID(id)]
            )
        }
        guard let sealed else { return nil }
        let ring = try await keySource.keysForOpening("the pending sign-in")
        return try PendingAuthorization.unsealed(sealed, with: ring, now: now)
    }
}
