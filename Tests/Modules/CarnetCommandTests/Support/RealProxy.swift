import Foundation

/// A proxy that nobody here wrote, on loopback. It sends everything on to another proxy.
struct RealProxy {
    enum Program: String, CaseIterable, Sendable {
        case squid
        case tinyproxy
        case mitmproxy
    }

    private struct Announcement: Decodable {
        let port: Int
        let authority: String?
    }

    let address: String
    /// The file with the authority that it signs certificates with, if it opens the connections that it carries.
    let authority: String?
    private let run: CommandRun

    /// - Parameters:
    ///   - port: The port of the other proxy.
    ///   - user: Name and password, if it wants them.
    ///   - refused: The host that it lets nobody reach.
    ///   - trusted: A file with an authority that it trusts itself.
    init(
        _ program: Program, to port: Int, user: String? = nil, refusing refused: String? = nil,
        trusting trusted: String? = nil
    ) async throws {
        let script = BuiltProduct.package.appending(path: "Tests/Peers/proxy.py")
        let options = [("--user", user), ("--refuse", refused), ("--trust", trusted)]
        run = try CommandRun(
            URL(filePath: "/usr/bin/env"),
            ["python3", script.path, program.rawValue, "\(port)"]
                + options.flatMap { option, value in value.map { [option, $0] } ?? [] },
            environment: ProcessInfo.processInfo.environment, folder: BuiltProduct.package)
        let line = try await run.line(0, of: .standardOutput)
        let announcement = try JSONDecoder().decode(Announcement.self, from: Data(line.utf8))
        (address, authority) = ("127.0.0.1:\(announcement.port)", announcement.authority)
    }

    func stop() async throws {
        _ = try await run.finish()
    }
}
