import CarnetDescriptors
import CarnetFoundation
import Foundation

/// A PostgreSQL server of the tests' own, in a temporary folder, reached by a Unix socket there.
///
/// The server refuses to run as root; then it runs as the user `postgres`. A guard, which reads from a pipe of this
/// process, stops it and removes the folder as soon as the process ends, however it ends.
public final class PostgreSQLCluster: Sendable {
    /// The one of this process.
    public static func shared() throws -> PostgreSQLCluster {
        try sharedCluster.withLock { cluster in
            if let cluster { return cluster }
            let made = try PostgreSQLCluster()
            cluster = made
            return made
        }
    }

    /// The folder of the installed server's programs.
    public static let programs: String? = {
        let roots = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"]
        for root in roots {
            let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
            for version in versions.sorted(by: >) {
                let folder = "\(root)/\(version)/bin"
                if FileManager.default.isExecutableFile(atPath: "\(folder)/initdb") { return folder }
            }
        }
        return nil
    }()

    private static let guardScript = """
        trap '' HUP INT TERM
        read -r _
        "$@" -D "$0/data" -m immediate -w stop
        rm -rf "$0"
        """

    public let folder: String
    let programs: String
    private let asServer: [String]
    private let databases = Lock(0)
    private let encryption: ServerCertificate?
    private let guardian: Lock<(processID: pid_t, pipe: FileHandle)?>

    /// - Parameter encryption: With a certificate the server listens at a port of 127.0.0.1 too, and encrypts there.
    public init(encryption: ServerCertificate? = nil) throws {
        self.encryption = encryption
        guard let programs = Self.programs else { throw Command.Failure(description: "PostgreSQL is not installed") }
        self.programs = programs
        asServer =
            geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
        // The path of a socket has at most 107 bytes.
        folder = "/tmp/carnet-pg-\(ProcessInfo.processInfo.processIdentifier)-\(UInt32.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let pipe = Pipe()
        let writing = pipe.fileHandleForWriting
        _ = fcntl(writing.fileDescriptor, F_SETFD, FD_CLOEXEC)
        let words = ["sh", "-c", Self.guardScript, folder] + asServer + ["\(programs)/pg_ctl"]
        let processID = try Command.start(
            words, input: pipe.fileHandleForReading.fileDescriptor, output: "/dev/null")
        guardian = Lock((processID, writing))
        if geteuid() == 0 { _ = try Command.run(["chown", "postgres", folder]) }
        try server(
            "initdb", "-D", "\(folder)/data", "-A", "trust", "-U", "carnet", "-E", "UTF8", "--no-locale", "--no-sync")
        if let encryption {
            let copies = ["\(encryption.folder)/server.pem", "\(encryption.folder)/server.key"]
            _ = try Command.run(["cp"] + copies + [folder])
            if geteuid() == 0 { _ = try Command.run(["chown", "postgres", "\(folder)/server.key"]) }
        }
        try start()
    }

    deinit {
        remove()
    }

    public func start() throws {
        var options = "-k \(folder) -c max_connections=200 -c shared_buffers=16MB"
        if let encryption {
            options += " -p \(encryption.port) -c listen_addresses=127.0.0.1 -c ssl=on"
            options += " -c ssl_cert_file=\(folder)/server.pem -c ssl_key_file=\(folder)/server.key"
        } else {
            options += " -c listen_addresses=''"
        }
        try server("pg_ctl", "-D", "\(folder)/data", "-l", "\(folder)/log", "-o", options, "-w", "start")
    }

    /// Ends the server as a crash would.
    public func crash() throws {
        try server("pg_ctl", "-D", "\(folder)/data", "-m", "immediate", "-w", "stop")
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
        return address(of: "test\(number)")
    }

    /// A database's address by way of the server's port.
    public func encryptedAddress(of database: String, host: String = "localhost") -> String {
        "host=\(host) port=\(encryption?.port ?? 0) user=carnet dbname=\(database)"
    }

    private func address(of database: String) -> String {
        let port = encryption.map { " port=\($0.port)" } ?? ""
        return "host=\(folder)\(port) user=carnet dbname=\(database)"
    }

    /// - Returns: What `psql` prints, without decoration.
    @discardableResult
    public func psql(_ sql: String, in address: String? = nil) throws -> String {
        let address = address ?? self.address(of: "postgres")
        return try Command.run(["\(programs)/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql, address])
    }

    /// - Returns: The address of a new database, restored from a backup of another.
    public func restoredBackup(of address: String) throws -> String {
        let folder = try TemporaryFolder("carnet-backup")
        let file = "\(folder.path)/backup.sql"
        let copy = try makeDatabase()
        _ = try Command.run(["\(programs)/pg_dump", "-f", file, address])
        _ = try Command.run(["\(programs)/psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-f", file, copy])
        return copy
    }

    /// Stops the server and removes its folder.
    public func remove() {
        guardian.withLock { guardian in
            guard let (processID, pipe) = guardian else { return }
            try? pipe.close()
            _ = Command.wait(for: processID)
            guardian = nil
        }
    }

    private func server(_ program: String, _ arguments: String...) throws {
        _ = try Command.run(asServer + ["\(programs)/\(program)"] + arguments)
    }
}

private let sharedCluster = Lock<PostgreSQLCluster?>(nil)
