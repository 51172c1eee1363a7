import CarnetFoundation
import Foundation
import Testing

/// Servers and a host of other implementations, with `carnet mcp` between them.
@Suite("The bridge between programs of others")
struct MessagePeerTests {
    private static let python = URL(filePath: "/usr/bin/env")

    private static func peer(_ arguments: [String]) throws -> CommandRun {
        try CommandRun(
            python, ["python3", "Tests/Peers/message_peer.py"] + arguments,
            environment: ProcessInfo.processInfo.environment, folder: BuiltProduct.package)
    }

    @Test(
        "A host uses the tools of a server that requires a sign-in", .timeLimit(.minutes(20)),
        arguments: ["sdk", "fastmcp", "sse", "open-sse"], ["legacy", "auto"])
    func aHostUsesTools(_ server: String, _ mode: String) async throws {
        let home = try CommandHome()
        let port = try Sample.freePort()
        let run = try Self.peer(["serve", server, "\(port)"])
        // Long enough to download the server, which happens once.
        _ = try await run.line(of: .standardError, within: .seconds(900)) { $0.contains("Uvicorn running") }
        let isOld = server.hasSuffix("sse")
        let url = "http://127.0.0.1:\(port)/\(isOld ? "sse" : "mcp")"
        if server != "open-sse" {
            let login = try await home.logIn(url)
            #expect(login.status == 0, "\(login)")
        }
        let host = try CommandRun(
            Self.python,
            ["python3", "Tests/Peers/message_peer.py", "host", mode, BuiltProduct.carnet.path, "mcp", url],
            environment: ProcessInfo.processInfo.environment.merging(home.environment) { $1 },
            folder: BuiltProduct.package)
        let result = try await host.finish()
        #expect(result.status == 0, "\(result)")
        let came = try JSONValue(parsing: result.standardOutput)
        #expect(came["tools"] == ["add", "count"], "\(result)")
        #expect(came["counted"] == "3" && came["progress"]?.array?.count == 3, "\(result)")
        #expect(came["sums"]?.array?.compactMap(\.string) == (1...20).map(String.init), "\(result)")
        #expect(came["unknown"] == true, "\(result)")
        let revision = mode == "auto" ? "2026-07-28" : "2025-11-25"
        #expect(came["revision"]?.string == revision, "\(result)")
        run.stop()
    }
}
