/// Time in which this process ran. No clock of the system stands still for a process that was stopped, by Ctrl-Z or a
/// frozen container, so it is counted in slices: one that took longer than it should have counts as its length.
package struct RunningTime: Sendable {
    /// How long a stop can go unnoticed.
    package static let slice = Duration.seconds(1)
    /// How late a timer may be on a machine that has much to do.
    static let lateness = Duration.seconds(1)
    /// How long what arrived during a stop may take to be read.
    package static let grace = Duration.seconds(5)

    private let now: @Sendable () -> ContinuousClock.Instant
    private let sleep: @Sendable (Duration) async throws -> Void

    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// Returns once the process has run for that long. After a stop it returns `grace` later at the earliest, because what
    /// has arrived meanwhile is still to be read.
    ///
    /// - Throws: `CancellationError`.
    package func sleep(for duration: Duration) async throws {
        var left = duration
        while left > .zero {
            let slice = min(left, Self.slice)
            let start = now()
            try await sleep(slice)
            left -= slice
            if now() - start > slice + Self.lateness { left = max(left, Self.grace) }
        }
    }
}
