public import CarnetFoundation

/// Time, and waiting for it to pass.
public protocol WallClock: Sendable {
    var now: Date { get }

    /// Waits, and ends early if the task is cancelled.
    func sleep(for duration: Duration) async throws
}
