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
        @discardableResult
        func run(_ sql: String) async throws -> DatabaseRows { try await connection.run(sql, within: limit) }
        do {
            try await run("BEGIN")
            try await run("SET LOCAL statement_timeout = \(limit.milliseconds)")
            try await run("SELECT pg_advisory_xact_lock(\(Self.advisoryLock))")
            if try await run("SELECT to_regclass('carnet_schema') IS NOT NULL").bytes(0, 0) != [1] {
                try await run("CREATE TABLE carnet_schema (version integer NOT NULL, needs integer NOT NULL)")
                try await run("INSERT INTO carnet_schema VALUES (0, 1)")
            }
            let current = try await version(on: connection, within: limit) ?? 0
            let wanted = versions.dropFirst(current)
            for statement in wanted.flatMap(\.statements) { try await run(statement) }
            if !wanted.isEmpty { try await run("UPDATE carnet_schema SET version = \(versions.count)") }
            if let needs = wanted.compactMap(\.needs).max() {
                try await run("UPDATE carnet_schema SET needs = \(needs)")
            }
            try await run("COMMIT")
        } catch {
            _ = try? await run("ROLLBACK")
            if case .refused(DatabaseFailure.duplicateTable, let message)? = error as? DatabaseFailure {
                throw TokenStoreError(.unavailable, "the database has tables of another program: \(message)")
            }
            throw error
        }
    }

    /// - Returns: `nil` if there are no tables yet.
    private func version(on connection: DatabaseConnection, within limit: Duration) async throws -> Int? {
        do {
            let rows = try await connection.run("SELECT version::text, needs::text FROM carnet_schema", within: limit)
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
