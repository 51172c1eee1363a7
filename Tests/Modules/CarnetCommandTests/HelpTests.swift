import Foundation
import Testing

@testable import CarnetCommand

@Suite("Help")
struct HelpTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    private static let commands = [
        "lint", "explain", "schema", "new", "import", "providers", "show", "try", "sandbox", "demo", "compare",
        "doctor",
        "register",
        "login", "accounts", "token", "profile", "resources", "call", "refresh", "logout",
        "gateway", "gateway serve", "gateway check", "gateway proxy", "gateway sessions end", "resources check",
        "import openapi", "client-document check",
    ]

    @Test("Help fits the terminal", arguments: [60, 80])
    func fits(_ columns: Int) async throws {
        for command in Self.commands.map({ $0.split(separator: " ").map(String.init) + ["--help"] }) + [["--help"]] {
            let help = try await home.start(command, environment: ["COLUMNS": "\(columns)"]).finish()
            #expect(help.status == 0)
            for line in help.standardOutput.split(separator: "\n") where line.count > columns {
                // A word that is longer than the rest of the line cannot be broken.
                #expect(line.split(separator: " ").contains { $0.count > columns / 2 }, "\(command): \(line)")
            }
        }
    }

    @Test("The continuation of an example is indented")
    func continuation() {
        let line = "  carnet login acme --client-id ID --client-secret-env ACME_SECRET"
        #expect(
            HelpText.wrapped(line, columns: 60)
                == "  carnet login acme --client-id ID --client-secret-env\n    ACME_SECRET")
        let row = "  carnet try acme                   sign in at a sandbox, without an account"
        #expect(
            HelpText.wrapped(row, columns: 70)
                == """
                  carnet try acme                   sign in at a sandbox, without an
                                                    account
                """)
        #expect(HelpText.wrapped("a sentence that is too long", columns: 12) == "a sentence\nthat is too\nlong")
        #expect(HelpText.wrapped("short", columns: 12) == "short")
    }

    @Test("A command's own options come first, and those that many share last")
    func order() async throws {
        let help = try await home.run("login", "--help").standardOutput
        let titles = help.split(separator: "\n").filter { $0.hasSuffix("OPTIONS:") }
        #expect(
            titles == [
                "OPTIONS:", "AUTHORIZATION OPTIONS:", "PROVIDER OPTIONS:", "CLIENT OPTIONS:", "CONNECTION OPTIONS:",
                "OUTPUT OPTIONS:",
            ])
        #expect(!help.contains("--version"))
        #expect(try await home.run("explain", "--help").standardOutput.contains("--verbose") == false)
    }

    @Test("Topics are printed, and a misspelled one has a suggestion")
    func topics() async throws {
        for topic in ["clients", "environment", "exit-status", "exit-codes", "folders", "formatting", "topics"] {
            let text = try await home.run("help", topic)
            #expect(text.status == 0 && text.standardError.isEmpty && text.standardOutput.count > 100, "\(text)")
        }
        let document = try await home.run("help", "clients", "--json").json()
        #expect(document["topic"] as? String == "clients" && document["text"] is String)
        let unknown = try await home.run("help", "clientz")
        #expect(unknown.status == 2 && unknown.standardError.contains("did you mean clients?"), "\(unknown)")
        #expect(try await home.run("help", "login").standardOutput.contains("USAGE: carnet login"))
    }

    @Test("A mistyped command has a suggestion")
    func mistypedCommand() async throws {
        let result = try await home.run("lnt")
        #expect(result.status == 2)
        #expect(result.standardError.hasPrefix("carnet: unknown command \"lnt\"; did you mean lint?\n"), "\(result)")
        let document = try await home.run("lnt", "--json").json()
        #expect(
            (document["error"] as? [String: Any])?["message"] as? String
                == "unknown command \"lnt\"; did you mean lint?")
    }

    @Test(
        "An option that would show a secret has advice, and the secret is not repeated",
        arguments: [
            (["login", "google", "--client-secret", "hunter2"], "--client-secret-env NAME"),
            (["login", "google", "--client-secret=hunter2"], "--client-secret-env NAME"),
            (["register", "google", "--token", "hunter2", "--output", "c.yaml"], "--token-env NAME"),
            (["login", "google", "--password", "hunter2"], "asks for the password in the browser"),
        ])
    func secretOption(_ arguments: [String], _ advice: String) async throws {
        let result = try await home.start(arguments).finish()
        #expect(result.status == 2 && result.standardError.contains(advice), "\(result)")
        #expect(result.standardError.contains("other users of this machine can read the arguments"), "\(result)")
        #expect(!"\(result)".contains("hunter2"))
    }

    @Test("doctor with a provider names the command that was meant")
    func doctorWithAProvider() async throws {
        let result = try await home.run("doctor", "google")
        #expect(result.status == 2 && result.standardError.contains("run carnet compare google"), "\(result)")
    }

    @Test("A narrow terminal has no line that is longer than it")
    func narrow() async throws {
        let providers = try await PseudoTerminal.output(of: BuiltProduct.carnet, ["providers"], columns: 60, in: home)
        let lines = providers.split(separator: "\n")
        #expect(lines.count > 100 && lines.allSatisfy { $0.count <= 60 }, "\(lines.filter { $0.count > 60 })")
        let wide = try await PseudoTerminal.output(of: BuiltProduct.carnet, ["providers"], columns: 120, in: home)
        #expect(wide.contains("built in"))
        let tried = try await PseudoTerminal.output(of: BuiltProduct.carnet, ["try", "google"], columns: 60, in: home)
        let titles = tried.split(separator: "\n").filter { $0.hasSuffix(" ok") }
        #expect(titles.count > 5 && titles.allSatisfy { $0.count == 60 }, "\(titles)")
    }
}
