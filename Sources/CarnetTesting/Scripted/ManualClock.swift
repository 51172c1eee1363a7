public import Carnet
import CarnetDescriptors
import CarnetFoundation

/// A clock that advances only if the test advances it, or if the code under test sleeps. A sleep advances the clock and
/// returns immediately.
public final class ManualClock: WallClock {
    private let time: Lock<Date>
    private let pauses = Lock<[Duration]>([])

    /// - Parameter now: The initial time; by default the start of 2026, UTC.
    public init(now: Date = Date(timeIntervalSince1970: 1_767_225_600)) { time = Lock(now) }

    public var now: Date { time.withLock { $0 } }

    /// The duration of each sleep, in order.
    public var sleeps: [Duration] { pauses.withLock { $0 } }

    public func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        pauses.withLock { $0.append(duration) }
        advance(by: duration)
    }

    public func advance(by duration: Duration) { time.withLock { $0 += duration.timeInterval } }

    package func set(to date: Date) { time.withLock { $0 = date } }
}
