import Foundation
import Testing

@Suite("Usage")
struct UsageTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    @Test(
        "A mistake on the command line has status 2, and is said on stderr",
        arguments: [
            ["bogus"], ["try"], ["login"], ["lint", "--format", "xml"], ["sandbox", "--fault", "nothing"],
            ["sandbox", "--port", "99999"], ["login", "google", "--timeout", "0"],
            ["profile", "google", "--color", "pink"],
            ["login", "google", "--sandbox", "http://example.com"],
            ["login", "google", "--sandbox", "http://127.0.0.1:1/x"],
            ["providers", "--providers", "nowhere"], ["call", "google"], ["token", "google", "--raw", "--header"],
        ])
    func aMistakeOnTheCommandLine(_ arguments: [String]) async throws {
        let run = try home.start(arguments)
        let result = try await run.finish()
        #expect(result.status == 2, "\(result)")
        #expect(result.standardError.hasPrefix("carnet: "), "\(result)")
        #expect(result.standardOutput.isEmpty)
    }

    @Test(
        "An option that another leaves without an effect is refused, and named",
        arguments: [
            (["login", "google", "--device", "--prompt", "consent"], "--prompt"),
            (["login", "google", "--device", "--login-hint", "ada", "--acr", "2"], "--acr and --login-hint"),
            (["login", "google", "--device", "--claims", "{}"], "--claims"),
            (["login", "google", "--device", "--authorization-details", "[]"], "--authorization-details"),
            (["login", "google", "--device", "--max-age", "1"], "--max-age"),
            (["login", "google", "--device", "--ui-locale", "de"], "--ui-locale"),
            (["login", "google", "--device", "--parameter", "a=b"], "--parameter"),
            (["login", "google", "--device", "--pushed"], "--pushed"),
            (["login", "google", "--device", "--no-pushed"], "--no-pushed"),
            (["login", "google", "--device", "--signed"], "--signed"),
            (["login", "google", "--device", "--no-signed"], "--no-signed"),
            (["login", "google", "--device", "--response-mode", "jwt"], "--response-mode"),
            (["login", "google", "--device", "--paste"], "--paste"),
            (["try", "google", "--diagram", "text", "--show-secrets"], "--show-secrets"),
            (["token", "google", "--exchange", "--client-credentials"], "--client-credentials"),
            (["mcp", "https://acme.example", "--client-credentials", "--no-browser"], "--no-browser"),
            (["mcp", "http://10.0.0.7", "--allow-http", "--account", "ada"], "--account"),
            (
                [
                    "mcp", "https://acme.example", "--header-env", "authorization: TOKEN", "--authorization-host",
                    "id.acme.example",
                ], "--authorization-host"
            ),
            (["compare", "google", "--probe-pause", "2"], "--probe-pause"),
            (["compare", "google", "--probe", "--verbose"], "--verbose"),
            (["lint", "--documentation", "https://acme.example"], "--documentation"),
            (["lint", ".", "--stdin-filename", "a.yaml"], "--stdin-filename"),
            (["gateway", "a.yaml", "--socket", "/run/a", "--port", "4180"], "--port"),
            (["gateway", "proxy", "nginx", "a.yaml", "--socket", "/run/a", "--bind", "127.0.0.1"], "--bind"),
        ])
    func optionWithoutEffect(_ arguments: [String], _ option: String) async throws {
        let result = try await home.start(arguments).finish()
        #expect(result.status == 2, "\(result)")
        let message = result.standardError.prefix { $0 != "\n" }
        #expect(message.contains(option), "\(result)")
        #expect(message.contains(" cannot be combined with ") || message.contains(#/ needs? /#), "\(result)")
    }

    @Test("Help is a response")
    func helpIsPrinted() async throws {
        for arguments in [["--help"], ["login", "--help"], ["help", "call"], []] {
            let run = try home.start(arguments)
            let result = try await run.finish()
            #expect(result.status == 0 && result.standardError.isEmpty)
            #expect(result.standardOutput.contains("USAGE: carnet"))
        }
    }

    @Test("The faults of the sandbox are listed, for people and for programs")
    func theFaultsOfTheSandbox() async throws {
        let listed = try await home.start(["sandbox", "--list-faults"]).finish()
        let line = "\nwrong-nonce: the ID token has another nonce\n"
        #expect(listed.status == 0 && listed.standardOutput.contains(line))
        let document = try await home.start(["sandbox", "--list-faults", "--json"]).finish().json()
        let faults = try #require(document["faults"] as? [[String: Any]])
        #expect(faults.count >= 25)
        #expect(faults.allSatisfy { $0["name"] is String && $0["summary"] is String })
    }

    @Test("With --json a failure is a document too")
    func withJsonAFailure() async throws {
        for arguments in [["try", "nope", "--json"], ["call", "--json"], ["profile", "google", "--json"]] {
            let run = try home.start(arguments)
            let document = try await run.finish().json()
            #expect(document["version"] as? Int == 1)
            #expect((document["error"] as? [String: Any])?["message"] is String)
        }
    }

    @Test("A response that cannot be written is no success")
    func aResponseThatCannotBeWritten() async throws {
        let run = try CommandRun(
            URL(filePath: "/bin/sh"),
            ["-c", "exec \"$0\" providers > /dev/full", BuiltProduct.carnet.path],
            environment: home.environment,
            folder: home.folder
        )
        let result = try await run.finish()
        #expect(result.status == 3, "\(result)")
        #expect(result.standardError.contains("cannot be written to stdout"))
    }

    @Test("A reader that has seen enough is no failure")
    func aReaderThatHasSeenEnough() async throws {
        let run = try CommandRun(
            URL(filePath: "/bin/sh"),
            ["-c", "{ \"$0\" providers; echo \"status $?\" >&2; } | :", BuiltProduct.carnet.path],
            environment: home.environment,
            folder: home.folder
        )
        let result = try await run.finish()
        #expect(result.standardError == "status 0\n", "\(result)")
    }

    @Test("Colours come when they are requested")
    func coloursComeWhenTheyAreAsked() async throws {
        #expect(try await home.run("try", "google", "--color", "always").standardOutput.contains("\u{1B}["))
        #expect(!(try await home.run("try", "google")).standardOutput.contains("\u{1B}["))
    }

    @Test("The sandbox says where it is, and ends with Ctrl-C")
    func theSandboxSaysWhere() async throws {
        let sandbox = try await RunningSandbox(home)
        #expect(sandbox.address.hasPrefix("http://127.0.0.1:"))
        sandbox.run.send(signal: SIGINT)
        #expect(try await sandbox.run.finish().status == 130)
    }

    @Test("A port that is taken is said")
    func aPortThatIsTaken() async throws {
        let sandbox = try await RunningSandbox(home, "google")
        let port = try #require(sandbox.address.split(separator: ":").last)
        let result = try await home.run("sandbox", "--port", String(port))
        #expect(result.status == 1)
        #expect(result.standardError.contains("port \(port) of 127.0.0.1 cannot be opened"))
    }

    #if os(Linux)
        @Test("The program starts without Foundation, nor does one of its libraries load it")
        func startsWithoutFoundation() async throws {
            let run = try CommandRun(
                URL(filePath: "/usr/bin/ldd"), [BuiltProduct.carnet.path], environment: home.environment,
                folder: home.folder)
            let result = try await run.finish()
            #expect(result.status == 0 && result.standardOutput.contains("libFoundationEssentials.so"), "\(result)")
            #expect(
                !result.standardOutput.contains("libFoundation.so"),
                "a build that began before Foundation was removed still links it: remove .build")
        }
    #endif
}
