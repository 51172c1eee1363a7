public import Carnet
import Synchronization

/// Sleeps in no time at all: it moves a clock on by as much, and remembers how long it would have slept.
public final class ScriptedSleeper: Sleeper {
    private let clock: ManualClock
    private let pauses = Mutex<[Duration]>([])

    public init(clock: ManualClock) {
        self.clock = clock
    }

    /// How long each sleep was, in order.
    public var sleeps: [Duration] { pauses.withLock { $0 } }

    public func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        pauses.withLock { $0.append(duration) }
        clock.advance(by: duration)
    }
}
