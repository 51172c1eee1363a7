import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// Until when no token is requested, because the server asked to wait. Docs/decisions/busy-servers.md has the reasons.
final class Pauses: Sendable {
    /// The owner of tokens: an account, or the client itself.
    enum Subject: Hashable, Sendable {
        case account(ConnectionKey)
        case grant(ClientTokenCache.Key)
    }

    private struct Pause {
        let since: Date
        let until: Date

        /// A clock that was set back must not extend it.
        func remainder(at now: Date) -> TimeInterval { since <= now ? max(0, until.timeIntervalSince(now)) : 0 }
    }

    private struct State {
        var subjects = ForgetfulTable<Subject, Pause>()
        var others: Pause?
    }

    private let state = Lock(State())

    /// The longest time, in seconds, that a response to one account can hold back the others.
    static let longestForOthers: TimeInterval = 60

    func begin(for seconds: TimeInterval, of subject: Subject?, at now: Date) {
        state.withLock { state in
            if let subject {
                state.subjects.forget { $0.remainder(at: now) == 0 }
                state.subjects[subject] = Pause(since: now, until: now + seconds)
            }
            let end = now + min(seconds, Self.longestForOthers)
            if (state.others?.until ?? .distantPast) < end { state.others = Pause(since: now, until: end) }
        }
    }

    func end(of subject: Subject) { state.withLock { $0.subjects[subject] = nil } }

    /// The seconds to wait before tokens are requested.
    func remainder(of subject: Subject?, at now: Date) -> TimeInterval {
        state.withLock { state in
            let own = subject.flatMap { state.subjects[$0] }?.remainder(at: now) ?? 0
            return max(own, state.others?.remainder(at: now) ?? 0)
        }
    }
}

extension OAuthClient {
    /// - Parameter end: The end of a pause that another process saved, in the provider's time.
    /// - Throws: `OAuthError` of kind `tooManyRequests` during a pause.
    func checkPause(of subject: Pauses.Subject?, step: OAuthError.Step, until end: Date? = nil) throws(OAuthError) {
        let now = clock.now
        var seconds = pauses.remainder(of: subject, at: now)
        if let saved = end?.timeIntervalSince(providerClock.now), saved <= RetryAfter.longest {
            seconds = max(seconds, saved)
        }
        guard seconds > 0 else { return }
        Telemetry.count("carnet.exchange.paused", step, at: provider.id)
        let retryAfter = RetryAfter(seconds: seconds, from: now)
        throw OAuthError(
            step, .tooManyRequests, "nothing was sent, because the server asked to wait",
            hint: retryAfter.hint, retryAt: retryAfter.date)
    }

    /// Runs a request for tokens. If the server is busy and says until when, a pause begins.
    func pausing<Result: Sendable>(
        _ subject: Pauses.Subject?, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await body()
            if let subject { pauses.end(of: subject) }
            return result
        } catch let error as OAuthError {
            if let seconds = error.pause(at: clock.now) { pauses.begin(for: seconds, of: subject, at: clock.now) }
            throw error
        }
    }
}

extension OAuthError {
    /// The pause that a server asked for, in seconds; `nil` if it asked for none, or the same request cannot succeed later.
    func pause(at now: Date) -> TimeInterval? {
        guard disposition == .tryLater, let seconds = retryAt?.timeIntervalSince(now), seconds > 0 else { return nil }
        return seconds
    }
}
