import Foundation
import Synchronization

/// A PostgreSQL server of the tests' own, in a temporary folder, reached by a Unix socket there.
///
/// The server refuses to run as root; then it runs as the user `postgres`.
public final class PostgreSQLCluster: Sendable {
    /// Why there is no server.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The one of this process; stopped when the process ends.
    public static func shared() throws -> PostgreSQLCluster {
        try sharedCluster.withLock { cluster in
            if let cluster { return cluster }
            let made = try PostgreSQLCluster()
            cluster = made
            atexit { sharedCluster.withLock { $0?.remove() } }
            return made
        }
    }

    /// Whether the server is installed; if not, tests that need it say so.
    public static let programs: String? = {
        let roots = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"]
        for root in roots {
            let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
            for version in versions.sorted(by: >)
            where FileManager.default.isExecutableFile(
                atPath: "\(root)/\(version)/bin/initdb")
            {
                return "\(root)/\(version)/bin"
            }
        }
        return nil
    }()

    public let folder: String
    private let databases = Mutex(0)

    public init() throws {
        guard let programs = Self.programs else { throw Failure(description: "PostgreSQL is not installed") }
        // The path of a socket has at most 107 bytes.
        folder = "/tmp/carnet-pg-\(ProcessInfo.processInfo.processIdentifier)-\(UInt32.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if geteuid() == 0 { try Self.run("/usr/bin/env", ["chown", "postgres", folder]) }
        try asServer(
            "\(programs)/initdb", ["-D", "\(folder)/data", "-A", "trust", "-U", "carnet", "-E", "UTF8", "--no-sync"])
        try start()
    }

    public func start() throws {
        let options = "-k \(folder) -c listen_addresses='' -c max_connections=200 -c shared_buffers=16MB"
        try asServer(
            "\(Self.programs ?? "")/pg_ctl",
            ["-D", "\(folder)/data", "-l", "\(folder)/log", "-o", options, "-w", "start"])
    }

    /// Ends the server as a crash would.
    public func crash() throws {
        try asServer("\(Self.programs ?? "")/pg_ctl", ["-D", "\(folder)/data", "-m", "immediate", "-w", "stop"])
    }

    /// Ends every connection.
    public func cutConnections() throws {
        try psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                + "AND datname IS NOT NULL"
        )
    }

    /// - Returns: The address of a new database.
    public func makeDatabase() throws -> String {
        let number = databases.withLock { count in
            count += 1
            return count
        }
        try psql("CREATE DATABASE test\(number)")
        return "host=\(folder) user=carnet dbname=test\(number)"
    }

    /// - Returns: What `psql` prints, without decoration.
    @discardableResult
    public func psql(_ sql: String, in address: String? = nil) throws -> String {
        try Self.run(
            "\(Self.programs ?? "")/psql",
            ["-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql, address ?? "host=\(folder) user=carnet dbname=postgres"])
    }

    public func remove() {
        try? crash()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func asServer(_ program: String, _ arguments: [String]) throws {
        if geteuid() == 0 {
            try Self.run(
                "/usr/bin/env",
                ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", program] + arguments)
        } else {
            try Self.run(program, arguments)
        }
    }

    @discardableResult
    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: "/tmp")
        // A server that goes on would keep a pipe open.
        let output = FileManager.default.temporaryDirectory.appending(
            path: "carnet-run-\(UInt64.random(in: 0...(.max)))")
        guard FileManager.default.createFile(atPath: output.path, contents: nil) else {
            throw Failure(description: "\(output.path) cannot be made")
        }
        defer { try? FileManager.default.removeItem(at: output) }
        let handle = try FileHandle(forWritingTo: output)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        process.waitUntilExit()
        try handle.close()
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        guard process.terminationStatus == 0 else {
            throw Failure(description: "\(program) \(arguments.first ?? ""): \(text)")
        }
        return text
    }
}

private let sharedCluster = Mutex<PostgreSQLCluster?>(nil)
