public import Carnet
import CarnetStorage
public import Foundation
import GRDB

extension SQLiteStore: UsedTokenStore {
    public func use(_ id: String, until end: Date, now: Date) async throws -> Bool {
        try await Task { [file] in
            try await file.write { database in
                try database.execute(
                    sql: "DELETE FROM used_token WHERE expires_at <= ?", arguments: [now.timeIntervalSince1970])
                try database.execute(
                    sql: "INSERT OR IGNORE INTO used_token (id, expires_at) VALUES (?, ?)",
                    arguments: [UsedTokenID(id).text, end.timeIntervalSince1970]
                )
                return database.changesCount == 1
            }
        }.value
    }

    public func forget(_ id: String) async throws {
        try await Task { [file] in
            try await file.write { database in
                try database.execute(sql: "DELETE FROM used_token WHERE id = ?", arguments: [UsedTokenID(id).text])
            }
        }.value
    }
}
