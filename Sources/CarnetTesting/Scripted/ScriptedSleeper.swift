public import Carnet
import CarnetDescriptors

/// Sleeps without waiting: it moves a clock, and records the durations.
public final class ScriptedSleeper: Sleeper {
    private let clock: ManualClock
    private let pauses = Lock<[Duration]>([])

    public init(clock: ManualClock) {
        self.clock = clock
    }

    /// The duration of each sleep, in order.
    public var sleeps: [Duration] { pauses.withLock { $0 } }

    public func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        pauses.withLock { $0.append(duration) }
        clock.advance(by: duration)
    }
}
