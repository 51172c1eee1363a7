import Carnet
import CarnetFoundation
import CarnetProtocol

/// Accepts the first callback that belongs to the sign-in, and no other.
final class CallbackInbox: Sendable {
    typealias Accepts = @Sendable (AuthorizationCallback) -> Bool

    private struct State {
        var accepts: Accepts?
        var isOver = false
        var isTaken = false
        /// What the ignored callbacks said, without repetitions.
        var ignored: [String] = []
    }

    private let state = Lock(State())
    private let callbacks: AsyncThrowingStream<AuthorizationCallback, any Error>
    private let delivery: AsyncThrowingStream<AuthorizationCallback, any Error>.Continuation

    private let reportIgnored: @Sendable (String) -> Void

    /// - Parameter ignored: Receives what a callback said that belongs to no sign-in, at once.
    init(ignored: @escaping @Sendable (String) -> Void = { _ in }) {
        reportIgnored = ignored
        (callbacks, delivery) = AsyncThrowingStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// Accepts callbacks from now on.
    ///
    /// - Throws: `UserAgentError`, `cannotPresent`, if it was called before or the sign-in has ended.
    func open(accepts: @escaping Accepts) throws {
        let isFirst = state.withLock { state in
            guard state.accepts == nil, !state.isOver else { return false }
            state.accepts = accepts
            return true
        }
        guard isFirst else {
            throw UserAgentError(.cannotPresent, "this sign-in was shown or closed before; begin a new one")
        }
    }

    /// Whether the callback belongs to the sign-in. Only one is accepted.
    ///
    /// - Parameter isForeign: Whether another user sends it; called only for a callback that belongs to the sign-in.
    func takes(_ callback: AuthorizationCallback, unless isForeign: @autoclosure () -> Bool = false) -> Bool {
        guard let accepts = state.withLock({ $0.isOver ? nil : $0.accepts }), accepts(callback), !isForeign() else {
            return false
        }
        return state.withLock { state in
            defer { state.isOver = true }
            state.isTaken = state.isTaken || !state.isOver
            return !state.isOver
        }
    }

    /// Whether a callback of the sign-in has arrived, and this is one more: browsers request some pages twice.
    func hasTaken(_ callback: AuthorizationCallback) -> Bool {
        state.withLock { $0.isTaken ? $0.accepts : nil }?(callback) ?? false
    }

    /// Remembers what a callback that belongs to no sign-in said. Anybody can send one, so it does not end the wait.
    /// Each is reported once, and no more than a person would read.
    func ignore(_ report: String) {
        let isNew = state.withLock { state in
            guard state.ignored.count < Self.mostReports, !state.ignored.contains(report) else { return false }
            state.ignored.append(report)
            return true
        }
        if isNew { reportIgnored(report) }
    }

    private static let mostReports = 5

    /// What such callbacks said.
    var ignored: [String] { state.withLock { $0.ignored } }

    /// Ends the wait with the accepted callback.
    func deliver(_ callback: AuthorizationCallback) {
        delivery.yield(callback)
        delivery.finish()
    }

    /// - Throws: `UserAgentError`, `cancelled`, once the inbox is closed; `CancellationError`; the error of the wait.
    func wait() async throws -> AuthorizationCallback {
        for try await callback in callbacks { return callback }
        try Task.checkCancellation()
        throw UserAgentError(.cancelled, "the sign-in was closed before its callback arrived")
    }

    /// Ends the wait without a callback, optionally with an error.
    func close(throwing error: (any Error)? = nil) {
        state.withLock { $0.isOver = true }
        delivery.finish(throwing: error)
    }
}
