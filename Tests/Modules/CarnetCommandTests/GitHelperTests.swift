import CarnetFoundation
import CarnetServerTestSupport
import Foundation
import Testing

@testable import CarnetCommand

/// The credential helper of `Docs/protected-resources.md`, with git itself.
@Suite("git with the account of carnet")
struct GitHelperTests {
    private static let git = URL(filePath: "/usr/bin/git")

    /// The lines of the page that configure git.
    private static func helper() throws -> String {
        let page = try String(
            contentsOf: BuiltProduct.package.appending(path: "Docs/protected-resources.md"), encoding: .utf8)
        let block = page.components(separatedBy: "```").first { $0.contains("git config") }
        return try #require(block).split(separator: "\n").dropFirst().joined(separator: "\n")
    }

    @Test("git gets a valid token, and asks nobody if nobody is signed in", .enabled(if: isInstalled))
    func repository() async throws {
        let home = try CommandHome()
        let resource = try await PlayedResource { $1.json(200, "{}") }
        #expect(try await home.logIn(resource.url).status == 0)
        let token = try await home.run("token", resource.url, "--raw").standardOutput.trimmingCharacters(in: .newlines)
        let expected = "Basic " + Data("oauth2:\(token)".utf8).base64EncodedString()
        let commit = String(repeating: "5a", count: 20)
        // A repository of the dumb protocol, which needs a sign-in.
        let repository = try await PlayedServer { request in
            guard request.headers["authorization"] == expected else {
                return .init(401, ["WWW-Authenticate": #"Basic realm="git""#])
            }
            return request.path.hasPrefix("/team/tool.git/info/refs")
                ? .init(200, ["Content-Type": "text/plain"], "\(commit)\trefs/heads/main\n") : .init(404)
        }
        let lines = try Self.helper()
        for text in ["https://git.acme.example", "token acme"] { #expect(lines.contains(text)) }
        let script = lines.replacing("https://git.acme.example", with: "http://\(repository.authority)")
            .replacing("token acme", with: "token \(resource.url)")
        func run(_ script: String) async throws -> CommandResult {
            let environment = home.environment.merging([
                "PATH": "\(BuiltProduct.folder.path):\(home.environment["PATH"] ?? "")", "GIT_TERMINAL_PROMPT": "0",
                "GIT_CONFIG_NOSYSTEM": "1",
            ]) { $1 }
            return try await CommandRun(
                URL(filePath: "/bin/sh"), ["-c", script], environment: environment, folder: home.folder
            ).finish()
        }
        let configured = try await run(script)
        #expect(configured.status == 0, "\(configured)")
        let url = "http://\(repository.authority)/team/tool.git"
        let listed = try await run("git ls-remote \(url)")
        #expect(listed.status == 0 && listed.standardOutput == "\(commit)\trefs/heads/main\n", "\(listed)")
        #expect(!"\(listed)".contains(token))
        #expect(try await home.run("logout", resource.url).status == 0)
        let refused = try await run("git ls-remote \(url)")
        #expect(refused.status != 0 && refused.standardError.contains("carnet login"), "\(refused)")
    }

    private static let isInstalled = FileManager.default.isExecutableFile(atPath: git.path)
}
