import GRDB

/// The tables. A version of them may only add what older programs do without, until a later version says that it needs
/// newer programs: Docs/decisions/schema-versions.md.
struct Schema: Sendable {
    /// What one version of the tables changes.
    struct Version: Sendable {
        /// The oldest version whose programs can use the tables from here on; `nil` if all that could before still can.
        var needs: Int?
        let statements: String

        init(needs: Int? = nil, _ statements: String) {
            self.needs = needs
            self.statements = statements
        }
    }

    /// The application id in the file's header: `carn` in ASCII.
    static let applicationID = 0x6361_726E

    let versions: [Version]

    static let current = Schema(versions: [
        Version(
            """
            PRAGMA application_id = \(applicationID);
            CREATE TABLE connection (
                id TEXT NOT NULL PRIMARY KEY,
                provider TEXT NOT NULL,
                account TEXT NOT NULL,
                key_id TEXT NOT NULL,
                revision TEXT NOT NULL,
                record BLOB NOT NULL,
                user_hash TEXT,
                session_hash TEXT
            );
            CREATE INDEX connection_user_hash ON connection (user_hash);
            CREATE INDEX connection_session_hash ON connection (session_hash);
            CREATE TABLE pending (
                id TEXT NOT NULL PRIMARY KEY,
                expires_at REAL NOT NULL,
                sealed TEXT NOT NULL
            );
            CREATE INDEX pending_expires_at ON pending (expires_at);
            CREATE TABLE used_token (
                id TEXT NOT NULL PRIMARY KEY,
                expires_at REAL NOT NULL
            );
            CREATE INDEX used_token_expires_at ON used_token (expires_at);
            """)
    ])

    var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for (index, version) in versions.enumerated() {
            migrator.registerMigration("\(index + 1)") { database in
                try database.execute(sql: version.statements)
                if let needs = version.needs { try database.execute(sql: "PRAGMA user_version = \(needs)") }
            }
        }
        return migrator
    }

    /// Whether programs of this version can use the tables, also if a newer version has changed them.
    func isUsable(_ database: Database) throws -> Bool {
        try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0 <= versions.count
    }
}
