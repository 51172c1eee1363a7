import Carnet
import CarnetProtocol
import Synchronization

/// Takes the first callback that belongs to the sign-in, and no other.
final class CallbackInbox: Sendable {
    typealias Accepts = @Sendable (AuthorizationCallback) -> Bool

    private struct State {
        var accepts: Accepts?
        var isOver = false
    }

    private let state = Mutex(State())
    private let callbacks: AsyncThrowingStream<AuthorizationCallback, any Error>
    private let delivery: AsyncThrowingStream<AuthorizationCallback, any Error>.Continuation

    init() {
        (callbacks, delivery) = AsyncThrowingStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// Lets callbacks be judged from now on.
    ///
    /// - Throws: `UserAgentError`, `cannotPresent`, if that was done before or the sign-in is over.
    func open(accepts: @escaping Accepts) throws {
        let isFirst = state.withLock { state in
            guard state.accepts == nil, !state.isOver else { return false }
            state.accepts = accepts
            return true
        }
        guard isFirst else {
            throw UserAgentError(.cannotPresent, "this sign-in was shown or closed before: each is used once")
        }
    }

    /// Whether the callback is the one that was awaited. After one was, no other is.
    ///
    /// - Parameter isForeign: Whether somebody else brings it; asked only of one that belongs to the sign-in.
    func takes(_ callback: AuthorizationCallback, unless isForeign: @autoclosure () -> Bool = false) -> Bool {
        guard let accepts = state.withLock({ $0.isOver ? nil : $0.accepts }), accepts(callback), !isForeign() else {
            return false
        }
        return state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
    }

    /// Ends the wait with a callback that was taken.
    func deliver(_ callback: AuthorizationCallback) {
        delivery.yield(callback)
        delivery.finish()
    }

    /// - Throws: `UserAgentError`, `cancelled`, once the inbox is closed; `CancellationError`; what the wait failed with.
    func wait() async throws -> AuthorizationCallback {
        for try await callback in callbacks {
            return callback
        }
        try Task.checkCancellation()
        throw UserAgentError(.cancelled, "the sign-in was closed before its callback came")
    }

    /// Ends the wait without a callback; with an error, if one is given.
    func close(throwing error: (any Error)? = nil) {
        state.withLock { $0.isOver = true }
        delivery.finish(throwing: error)
    }
}
