/// Waits, where a protocol asks for pauses.
public protocol Sleeper: Sendable {
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func sleep(for duration: Duration) async throws
}
