import Foundation

/// `carnet sandbox` on a free port.
struct RunningSandbox {
    let run: CommandRun
    let address: String

    init(_ home: CommandHome, _ arguments: String...) async throws {
        run = try home.start(["sandbox"] + arguments)
        address = try await run.line(0, of: .standardOutput)
    }
}

extension CommandHome {
    /// Starts `carnet login --no-browser`, and gives the address that the person is asked to open.
    func startLogin(_ arguments: [String]) async throws -> (run: CommandRun, address: String) {
        let run = try start(["login"] + arguments + ["--no-browser"])
        let address = try await run.line(of: .standardError) { $0.hasPrefix("http") }
        return (run, address)
    }

    /// Signs in, as a person does who agrees to everything.
    @discardableResult
    func logIn(_ arguments: String...) async throws -> CommandResult { try await logIn(arguments) }

    func logIn(_ arguments: [String]) async throws -> CommandResult {
        let login = try await startLogin(arguments)
        try await Browser().open(login.address)
        return try await login.run.finish()
    }

    /// The files below ``folder`` with that ending.
    func files(endingWith suffix: String) throws -> [URL] {
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (all?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.lastPathComponent.hasSuffix(suffix) }
    }
}

/// Texts that the tests share.
enum Sample {
    /// A standards-following provider, whole.
    static func acme(issuer: String = "https://id.acme.example") -> String {
        """
        carnet: 1
        id: acme
        name: Acme
        issuer: \(issuer)
        scopes: { default: [openid, profile, email] }

        """
    }

    /// A loopback port that was free a moment ago.
    static func freePort() throws -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, length) == 0 && getsockname(socket, pointer, &length) == 0
            }
        }
        guard bound else { throw CommandRun.Failure(description: "no free port") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
