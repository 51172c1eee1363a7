// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Tests are named by the rows of the matrix that they mount.

import CarnetServerTestSupport
import Foundation
import Testing

/// An account whose lock another process has, because it is refreshing the tokens, and was stopped meanwhile.
@Suite("Locked store")
struct LockedStoreTests {
    private let home: CommandHome

    init() throws {
        home = try CommandHome()
    }

    /// Runs `body` while a refresh is stopped whose request has been sent, then lets it go on.
    ///
    /// - Returns: What the refresh came to.
    private func whileRefreshIsStopped(
        _ body: (RotatingProvider) async throws -> Void
    ) async throws -> CommandResult {
        let provider = try await RotatingProvider { nil }
        try await home.signIn(to: provider)
        let refresh = try home.start(["refresh", "rotating"])
        while provider.uses.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        refresh.send(signal: SIGSTOP)
        try await body(provider)
        refresh.send(signal: SIGCONT)
        provider.respond()
        let result = try await refresh.finish()
        try await provider.stop()
        return result
    }

    @Test("the wait honours --timeout, and says who holds the lock and what helps", .timeLimit(.minutes(2)))
    func LOCK_05_waitIsBoundedAndSaysWhatHelps() async throws {
        let refresh = try await whileRefreshIsStopped { _ in
            let started = ContinuousClock.now
            let result = try await home.run("refresh", "rotating", "--timeout", "2")
            #expect(ContinuousClock.now - started < .seconds(30))
            #expect(result.status == 3, "\(result)")
            let words =
                /process (\d+) has held it since (\S+); if the process is stopped, continue it \(kill -CONT (\d+)\)/
            let match = try #require(try words.firstMatch(in: result.standardError), "\(result)")
            #expect(match.1 == match.3)
            #expect(kill(try #require(pid_t(match.1)), 0) == 0, "the process lives")
            #expect(try Date(String(match.2), strategy: .iso8601).timeIntervalSinceNow > -60)
        }
        #expect(refresh.status == 0, "\(refresh)")
    }

    @Test("a sign-out succeeds immediately, and the refresh restores no record", .timeLimit(.minutes(2)))
    func LOCK_05_signOutGoesThroughAtOnce() async throws {
        let refresh = try await whileRefreshIsStopped { _ in
            let logout = try await home.run("logout", "rotating")
            #expect(logout.status == 0, "\(logout)")
            #expect(logout.standardOutput == "signed out ada\n")
            #expect(try home.files(endingWith: ".record").isEmpty)
        }
        #expect(refresh.status == 1, "\(refresh)")
        #expect(refresh.standardError.contains("the session was ended by another process"), "\(refresh)")
        #expect(try home.files(endingWith: ".record").isEmpty)
    }

    @Test("a sign-out that revokes waits for --timeout, and forgets all the same", .timeLimit(.minutes(2)))
    func LOCK_05_signOutThatRevokesGoesThroughInTime() async throws {
        let refresh = try await whileRefreshIsStopped { _ in
            let logout = try await home.run("logout", "rotating", "--revoke", "--timeout", "1")
            #expect(logout.status == 1, "\(logout)")
            #expect(logout.standardOutput == "signed out ada\n")
            #expect(logout.standardError.contains("another process is refreshing the tokens"))
            #expect(try home.files(endingWith: ".record").isEmpty)
        }
        #expect(refresh.status == 1, "\(refresh)")
        #expect(try home.files(endingWith: ".record").isEmpty)
    }
}
