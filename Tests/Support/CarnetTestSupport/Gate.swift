import CarnetDescriptors
import CarnetFoundation

/// A gate that a scripted response waits at until the test opens it.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var hasArrival = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watching: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    public init() {}

    /// Waits until the gate is open.
    public func pass() async {
        await withCheckedContinuation { continuation in
            let (isOpen, watching) = state.withLock { state in
                state.hasArrival = true
                if !state.isOpen { state.waiting.append(continuation) }
                defer { state.watching = [] }
                return (state.isOpen, state.watching)
            }
            watching.forEach { $0.resume() }
            if isOpen { continuation.resume() }
        }
    }

    /// Waits until somebody stands at the gate.
    public func arrival() async {
        await withCheckedContinuation { continuation in
            let hasArrival = state.withLock { state in
                if !state.hasArrival { state.watching.append(continuation) }
                return state.hasArrival
            }
            if hasArrival { continuation.resume() }
        }
    }

    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        waiting.forEach { $0.resume() }
    }
}
