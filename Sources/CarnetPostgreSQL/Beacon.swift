/// Shows the database that this process lives: a connection with an advisory lock of the process's own number, in an
/// open transaction. A pool in transaction mode keeps such a connection too. The transaction blocks nothing in the
/// database: it has read and written nothing.
actor Beacon {
    /// A random number, because the system's process id is not unique across machines.
    nonisolated let process: Int64
    private let configuration: PostgreSQLConfiguration
    private var connection: DatabaseConnection?
    private var lighting: Task<DatabaseConnection, any Error>?

    init(_ configuration: PostgreSQLConfiguration, process: Int64) {
        self.configuration = configuration
        self.process = process
    }

    /// Opens the connection, unless it is open.
    ///
    /// - Throws: `DatabaseFailure`.
    func light() async throws {
        if let connection, await connection.isOpen { return }
        connection = nil
        let task = lighting ?? Task { [configuration, process] in try await Self.lit(configuration, process) }
        lighting = task
        defer { lighting = nil }
        connection = try await task.value
    }

    private static func lit(
        _ configuration: PostgreSQLConfiguration, _ process: Int64
    ) async throws -> DatabaseConnection {
        let connection = try await DatabaseConnection.open(configuration)
        let limit = configuration.statementTimeout
        _ = try await connection.run("BEGIN", within: limit)
        // Older versions lack some settings. A lost machine is noticed within half a minute.
        _ = try await connection.run(
            """
            SELECT set_config(name, value, true) FROM pg_settings JOIN (VALUES
                ('idle_in_transaction_session_timeout', '0'), ('transaction_timeout', '0'),
                ('tcp_keepalives_idle', '15'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3')
            ) AS wanted (name, value) USING (name)
            """,
            within: limit)
        // Shared, because the database may still see an earlier connection of this process.
        _ = try await connection.run(
            "SELECT pg_advisory_xact_lock_shared($1::bigint)", [.text(String(process))], within: limit)
        return connection
    }
}
