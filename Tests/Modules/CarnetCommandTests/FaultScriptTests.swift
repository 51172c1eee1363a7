import CarnetServerTestSupport
import Foundation
import Testing

/// The command, broken from outside.
@Suite("Fault script")
struct FaultScriptTests {
    /// A small part of the table: `Tests/Programs/Faults/faults.py` without `--quick` is all of it.
    @Test("each kind of fault, against the built command", .timeLimit(.minutes(5)))
    func quick() async throws {
        let run = try CommandRun(
            URL(filePath: "/usr/bin/env"),
            ["python3", "Tests/Programs/Faults/faults.py", "--quick", "--carnet", BuiltProduct.carnet.path],
            environment: ProcessInfo.processInfo.environment,
            folder: BuiltProduct.package
        )
        let result = try await run.finish()
        #expect(result.status == 0, "\(result)")
        let total = try #require(result.standardOutput.firstMatch(of: #/\nall +(\d+) +0 /#), "\(result)")
        #expect(try #require(Int(total.1)) > 50)
    }

    /// `Tests/Programs/Faults/bridges.py` without counts is all of it.
    @Test("bridges share an account at a server that forgives nothing, and start together", .timeLimit(.minutes(10)))
    func bridges() async throws {
        let run = try CommandRun(
            URL(filePath: "/usr/bin/env"),
            [
                "python3", "Tests/Programs/Faults/bridges.py", "--expiries", "12", "--starts", "3", "--carnet",
                BuiltProduct.carnet.path,
            ],
            environment: ProcessInfo.processInfo.environment,
            folder: BuiltProduct.package
        )
        let result = try await run.finish()
        #expect(result.status == 0, "\(result)")
        #expect(result.standardOutput.contains(#""expiries": 12"#), "\(result)")
        #expect(result.standardOutput.contains("starts 3, 0 wrong"), "\(result)")
    }

    #if os(Linux)
        /// libcurl's thread is in OpenSSL while the process ends. Without `--slow`, that happens in one of a thousand runs.
        @Test("no command dies by a signal when it ends", .timeLimit(.minutes(5)))
        func exits() async throws {
            let run = try CommandRun(
                URL(filePath: "/usr/bin/env"),
                [
                    "python3", "Tests/Programs/Faults/exits.py", "--slow", "--count", "24", "--carnet",
                    BuiltProduct.carnet.path,
                ],
                environment: ProcessInfo.processInfo.environment,
                folder: BuiltProduct.package
            )
            let result = try await run.finish()
            #expect(result.status == 0, "\(result)")
            #expect(result.standardOutput.contains(#/\nall +24 +0 /#), "\(result)")
        }
    #endif

    @Test("a program that is asked to end completes its refresh first", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signalInARefresh(_ number: Int32) async throws {
        let home = try CommandHome()
        let provider = try await RotatingProvider { .seconds(2) }
        try await home.signIn(to: provider)
        let refresh = try home.start(["refresh", "rotating"])
        while provider.uses.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        refresh.send(signal: number)
        let result = try await refresh.finish()
        #expect([0, 128 + number].contains(result.status), "\(result)")
        let next = try await home.run("refresh", "rotating")
        #expect(next.status == 0, "\(next)")
        #expect(provider.uses.map(\.token) == ["family1.1", "family1.2"])
        try await provider.stop()
    }
}
