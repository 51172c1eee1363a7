import Carnet
package import CarnetFoundation
package import CarnetStorage
import GRDB

extension SQLiteStore {
    package func use(_ token: UsedTokenID, until end: Date, now: Date) async throws -> Bool {
        try await file.write { database in
            try database.execute(
                sql: "DELETE FROM used_token WHERE expires_at <= ?", arguments: [now.timeIntervalSince1970])
            try database.execute(
                sql: "INSERT OR IGNORE INTO used_token (id, expires_at) VALUES (?, ?)",
                arguments: [token.text, end.timeIntervalSince1970]
            )
            return database.changesCount == 1
        }
    }

    package func forget(_ token: UsedTokenID) async throws {
        try await file.write { database in
            try database.execute(sql: "DELETE FROM used_token WHERE id = ?", arguments: [token.text])
        }
    }
}
