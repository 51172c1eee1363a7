import CarnetDescriptors
import CarnetFoundation

final class SessionStates: Sendable {
    private struct State {
        var current = SessionState.signedIn
        var watchers: [Int: AsyncStream<SessionState>.Continuation] = [:]
        var watchersCounted = 0
    }

    private let state = Lock(State())

    deinit {
        for watcher in state.withLock(\.watchers).values { watcher.finish() }
    }

    func change(to new: SessionState) {
        state.withLock { state in
            guard state.current != new else { return }
            state.current = new
            for watcher in state.watchers.values { watcher.yield(new) }
        }
    }

    func watch() -> AsyncStream<SessionState> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { watcher in
            let number = state.withLock { state in
                state.watchersCounted += 1
                state.watchers[state.watchersCounted] = watcher
                watcher.yield(state.current)
                return state.watchersCounted
            }
            watcher.onTermination = { [weak self] _ in
                _ = self?.state.withLock { $0.watchers.removeValue(forKey: number) }
            }
        }
    }
}
