public import Carnet
import CarnetDescriptors
public import Foundation

/// A clock that moves only when the test moves it.
public final class ManualClock: WallClock {
    private let time: Lock<Date>

    /// - Parameter now: The initial time; by default the start of 2026, UTC.
    public init(now: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
        time = Lock(now)
    }

    public var now: Date { time.withLock { $0 } }

    public func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        time.withLock { $0 += TimeInterval(seconds) + TimeInterval(attoseconds) / 1e18 }
    }

    public func set(to date: Date) {
        time.withLock { $0 = date }
    }
}
