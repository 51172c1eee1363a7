/// The time in which this process ran, for a loop that waits for at most `RunningTime.slice` at a time while it has deadlines.
/// As `RunningTime`, it notices that the process was stopped by a wait that took too long.
package struct RunningClock {
    private let now: () -> ContinuousClock.Instant
    private var last: ContinuousClock.Instant
    package private(set) var time = Duration.zero

    package init(now: @escaping () -> ContinuousClock.Instant = { .now }) {
        self.now = now
        last = now()
    }

    /// Counts the time since the last call.
    ///
    /// - Parameter wait: How long the loop meant to wait since then.
    /// - Returns: Whether the process was stopped. Then deadlines are at least `RunningTime.grace` away.
    package mutating func advance(afterWaiting wait: Duration) -> Bool {
        let moment = now()
        let passed = moment - last
        last = moment
        let wasStopped = passed > wait + RunningTime.lateness
        time += wasStopped ? wait : passed
        return wasStopped
    }
}
