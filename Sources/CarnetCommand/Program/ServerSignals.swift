import CarnetFoundation

/// The signals that a server handles itself: SIGHUP, and the first one that asks it to end.
final class ServerSignals: Sendable {
    private let isReloadWanted = Lock(false)
    private let drains: AsyncStream<Void>
    private let drained: AsyncStream<Void>.Continuation

    init() {
        (drains, drained) = AsyncStream.makeStream()
    }

    func reload() { isReloadWanted.withLock { $0 = true } }

    /// Whether SIGHUP has come since the last call.
    func takeReload() -> Bool {
        isReloadWanted.withLock { isWanted in
            defer { isWanted = false }
            return isWanted
        }
    }

    func drain() { drained.finish() }

    /// Returns when the server must end, or when the task is cancelled.
    func untilDrain() async { for await _ in drains {} }
}
