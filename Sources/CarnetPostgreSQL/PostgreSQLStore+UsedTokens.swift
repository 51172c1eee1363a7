package import CarnetFoundation
import CarnetProtocol
package import CarnetStorage

extension PostgreSQLStore {
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
