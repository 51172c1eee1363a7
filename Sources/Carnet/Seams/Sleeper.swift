/// Waits, for protocols that require pauses.
public protocol Sleeper: Sendable {
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func sleep(for duration: Duration) async throws
}
