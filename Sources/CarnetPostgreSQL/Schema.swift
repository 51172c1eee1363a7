import Carnet

/// The tables. A version of them may only add what older programs do without, until a later version says that it needs
/// newer programs: Docs/decisions/schema-versions.md.
struct Schema: Sendable {
    /// What one version of the tables changes.
    struct Version: Sendable {
        /// The oldest version whose programs can use the tables from here on; `nil` if all that could before still can.
        var needs: Int?
        let statements: [String]

        init(needs: Int? = nil, _ statements: [String]) {
            self.needs = needs
            self.statements = statements
        }
    }

    let versions: [Version]

    static let current = Schema(versions: [
        Version([
            """
            CREATE TABLE carnet_connection (
                id text PRIMARY KEY,
                provider text NOT NULL,
                account text NOT NULL,
                key_id text NOT NULL,
                revision text NOT NULL,
                record bytea NOT NULL,
                user_hash text,
                session_hash text
            )
            """,
            "CREATE INDEX carnet_connection_user_hash ON carnet_connection (user_hash)",
            "CREATE INDEX carnet_connection_session_hash ON carnet_connection (session_hash)",
            """
            CREATE TABLE carnet_lock (
                id text PRIMARY KEY,
                owner text NOT NULL,
                expires_at timestamptz NOT NULL,
                process bigint
            )
            """,
            """
            CREATE TABLE carnet_pending (
                id text PRIMARY KEY,
                expires_at double precision NOT NULL,
                sealed text NOT NULL
            )
            """,
            "CREATE INDEX carnet_pending_expires_at ON carnet_pending (expires_at)",
            """
            CREATE TABLE carnet_used_token (
                id text PRIMARY KEY,
                owner text NOT NULL,
                expires_at double precision NOT NULL
            )
            """,
            "CREATE INDEX carnet_used_token_expires_at ON carnet_used_token (expires_at)",
        ])
    ])

    /// An arbitrary number that all users of these tables share.
    private static let advisoryLock = "7163480212504436"

    /// Creates the tables, or migrates older ones, once for all processes that start at the same time. Newer tables stay as
    /// they are, if programs of this version can use them.
    ///
    /// - Throws: `DatabaseFailure`; `TokenStoreError`, `unavailable`, if a version that this one cannot use or another program
    /// created them.
    func prepare(on connection: DatabaseConnection, within limit: Duration) async throws {
        if try await version(on: connection, within: limit) ?? 0 >= versions.count { return }
        // A second process waits for the first, for longer than a statement may take.
        let limit = max(limit, .seconds(60))
        do {
            _ = try await connection.run("BEGIN", within: limit)
            _ = try await connection.run("SET LOCAL statement_timeout = \(limit.milliseconds)", within: limit)
            _ = try await connection.run("SELECT pg_advisory_xact_lock(\(Self.advisoryLock))", within: limit)
            let present = try await connection.run("SELECT to_regclass('carnet_schema') IS NOT NULL", within: limit)
            if present.bytes(0, 0) != [1] {
                _ = try await connection.run(
                    "CREATE TABLE carnet_schema (version integer NOT NULL, needs integer NOT NULL)", within: limit)
                _ = try await connection.run("INSERT INTO carnet_schema VALUES (0, 1)", within: limit)
            }
            let current = try await version(on: connection, within: limit) ?? 0
            for version in versions.dropFirst(current) {
                for statement in version.statements { _ = try await connection.run(statement, within: limit) }
            }
            if current < versions.count {
                _ = try await connection.run("UPDATE carnet_schema SET version = \(versions.count)", within: limit)
            }
            if let needs = versions.dropFirst(current).compactMap(\.needs).max() {
                _ = try await connection.run("UPDATE carnet_schema SET needs = \(needs)", within: limit)
            }
            _ = try await connection.run("COMMIT", within: limit)
        } catch {
            _ = try? await connection.run("ROLLBACK", within: limit)
            if case .refused(DatabaseFailure.duplicateTable, let message)? = error as? DatabaseFailure {
                throw TokenStoreError(.unavailable, "the database has tables of another program: \(message)")
            }
            throw error
        }
    }

    /// - Returns: `nil` if there are no tables yet.
    private func version(on connection: DatabaseConnection, within limit: Duration) async throws -> Int? {
        do {
            let rows = try await connection.run(
                "SELECT version::text, needs::text FROM carnet_schema", within: limit)
            guard rows.rows.count == 1, let version = Int(rows.text(0, 0)), let needs = Int(rows.text(0, 1)) else {
                throw TokenStoreError(.unavailable, "the database has a table carnet_schema that is not Carnet's")
            }
            guard needs <= versions.count else {
                throw TokenStoreError(
                    .unavailable,
                    "the database's tables have the version \(version), which needs a program that supports \(needs), and "
                        + "this one supports \(versions.count): use a newer version of the program"
                )
            }
            return version
        } catch DatabaseFailure.refused(DatabaseFailure.undefinedTable, _) {
            return nil
        } catch DatabaseFailure.refused(DatabaseFailure.undefinedColumn, _) {
            throw TokenStoreError(.unavailable, "the database has a table carnet_schema that is not Carnet's")
        }
    }
}
