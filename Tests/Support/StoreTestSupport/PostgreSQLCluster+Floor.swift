import Foundation

/// The floors of the store's work: how often pgbench does the same through libpq, each connection with a row of its own.
extension PostgreSQLCluster {
    /// - Parameter address: A database with at least one record.
    public func selectsPerSecond(connections: Int, seconds: Int, in address: String) throws -> Double {
        try transactionsPerSecond([Self.read], connections: connections, seconds: seconds, in: address)
    }

    public func refreshesPerSecond(connections: Int, seconds: Int, in address: String) throws -> Double {
        let statements = [
            Self.read,
            """
            INSERT INTO carnet_lock AS held (id, owner, expires_at)
            VALUES ('bench-' || :client_id, 'bench', clock_timestamp() + interval '10 seconds')
            ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
            """,
            Self.read,
            "UPDATE carnet_connection SET record = record || '' WHERE id = 'bench-' || :client_id",
            "DELETE FROM carnet_lock WHERE id = 'bench-' || :client_id AND owner = 'bench'",
        ]
        return try transactionsPerSecond(statements, connections: connections, seconds: seconds, in: address)
    }

    private static let read = "SELECT revision, record FROM carnet_connection WHERE id = 'bench-' || :client_id"

    private func transactionsPerSecond(
        _ statements: [String], connections: Int, seconds: Int, in address: String
    ) throws -> Double {
        try psql(
            """
            INSERT INTO carnet_connection SELECT 'bench-' || number, provider, account, key_id, revision, record
            FROM (SELECT * FROM carnet_connection LIMIT 1) AS any_record, generate_series(0, \(connections)) AS number
            """, in: address)
        let script = "\(folder).sql"
        try statements.map { $0.replacing("\n", with: " ") + ";\n" }.joined()
            .write(toFile: script, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: script) }
        let report = try Command.run([
            "\(programs)/pgbench", "--no-vacuum", "--client=\(connections)", "--jobs=\(min(connections, 2))",
            "--time=\(seconds)", "--file=\(script)", address,
        ])
        let words = report.split(whereSeparator: \.isWhitespace)
        guard let name = words.firstIndex(of: "tps"), words.count > name + 2, let rate = Double(words[name + 2]) else {
            throw Command.Failure(description: report)
        }
        return rate
    }
}
