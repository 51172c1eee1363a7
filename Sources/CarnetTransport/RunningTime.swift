/// Time in which this process ran. No system clock pauses while a process is stopped, by Ctrl-Z or a frozen
/// container. So it is counted in slices: a slice that took too long counts with its nominal length.
package struct RunningTime: Sendable {
    /// How long a stop can go unnoticed.
    package static let slice = Duration.seconds(1)
    /// How late a timer may be on a busy machine.
    package static let lateness = Duration.seconds(1)
    /// The time to read data that arrived during a stop.
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

    /// Returns once the process has run for that long. After a stop it returns at least `grace` later, so that data
    /// that arrived meanwhile can be read.
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
