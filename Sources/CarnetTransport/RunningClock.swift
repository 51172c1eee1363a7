/// The time in which this process ran, for a loop that waits for at most `slice` at a time while it has deadlines.
///
/// No system clock pauses while a process is stopped, by Ctrl-Z or a frozen container. So a wait that took too long
/// counts with its nominal length.
package struct RunningClock: Sendable {
    /// How long a stop can go unnoticed.
    package static let slice = Duration.seconds(1)
    /// How late a timer may be on a busy machine.
    package static let lateness = Duration.seconds(1)
    /// The time to read data that arrived during a stop.
    package static let grace = Duration.seconds(5)

    private let now: @Sendable () -> ContinuousClock.Instant
    private var last: ContinuousClock.Instant
    package private(set) var time = Duration.zero

    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
        last = now()
    }

    /// Counts the time since the last call.
    ///
    /// - Parameter wait: How long the loop meant to wait since then.
    /// - Returns: Whether the process was stopped. Then deadlines are at least `grace` away.
    package mutating func advance(afterWaiting wait: Duration) -> Bool {
        let moment = now()
        let passed = moment - last
        last = moment
        let wasStopped = passed > wait + Self.lateness
        time += wasStopped ? wait : passed
        return wasStopped
    }
}
