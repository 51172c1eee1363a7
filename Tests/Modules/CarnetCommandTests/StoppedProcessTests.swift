// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetServerTestSupport
import Foundation
import Testing

/// A program that is stopped for longer than its time limit, by Ctrl-Z or because the machine sleeps, while a provider
/// that replaces refresh tokens responds to it.
@Suite("Stopped process")
struct StoppedProcessTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    private func refresh(_ options: String...) throws -> CommandRun {
        try home.start(["refresh", "rotating"] + options)
    }

    @Test("a response that arrived while the program was stopped is taken, however late", .timeLimit(.minutes(2)))
    func LOCK_03_responseThatArrivedMeanwhileIsTaken() async throws {
        let provider = try await RotatingProvider { nil }
        try await home.signIn(to: provider)
        let run = try refresh("--timeout", "3")
        while provider.uses.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        run.send(signal: SIGSTOP)
        provider.respond()
        try await Task.sleep(for: .seconds(4))
        run.send(signal: SIGCONT)
        let result = try await run.finish()
        #expect(result.status == 0, "\(result)")
        let secondRun = try refresh()
        while provider.uses.count < 2 { try await Task.sleep(for: .milliseconds(10)) }
        provider.respond()
        let next = try await secondRun.finish()
        #expect(next.status == 0, "\(next)")
        #expect(provider.uses.map(\.token) == ["family1.1", "family1.2"])
        #expect(provider.revoked.isEmpty)
        try await provider.stop()
    }

    @Test("a response that never comes ends at the limit, and the session is kept", .timeLimit(.minutes(2)))
    func LOCK_03_responseThatNeverComesKeepsTheSession() async throws {
        let provider = try await RotatingProvider { nil }
        try await home.signIn(to: provider)
        let run = try refresh("--timeout", "2")
        while provider.uses.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        run.send(signal: SIGSTOP)
        try await Task.sleep(for: .seconds(3))
        run.send(signal: SIGCONT)
        let result = try await run.finish()
        #expect(result.status == 1, "\(result)")
        #expect(result.standardError.contains("did not send a complete response within 2 seconds"), "\(result)")
        #expect(result.standardError.contains("the session is kept"), "\(result)")
        #expect(try await home.run("accounts").standardOutput.contains("ada"))
        try await provider.stop()
    }
}
