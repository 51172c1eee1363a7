/// Shows the database that this process lives: a connection with a lock of the process's own number, in a transaction that
/// stays open, which a pool that gives each transaction another connection keeps apart too. Nothing of the database's
/// work waits for such a transaction: it has read and written nothing.
actor Beacon {
    /// Not the system's number of the process, which is one of many machines.
    nonisolated let process: Int64
    private let configuration: PostgreSQLConfiguration
    private var connection: DatabaseConnection?
    private var lighting: Task<DatabaseConnection, any Error>?

    init(_ configuration: PostgreSQLConfiguration, process: Int64) {
        self.configuration = configuration
        self.process = process
    }

    /// Lights it, unless it burns.
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
        // Not every version knows each setting. A machine that is gone is noticed within half a minute.
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
