import CarnetDescriptors
import CarnetFoundation
import Foundation

/// A clock that stands still until a test moves it.
final class ManualClock: Sendable {
    private let time = Lock(Date(timeIntervalSince1970: 1_790_000_000))

    @Sendable func now() -> Date { time.withLock { $0 } }

    func advance(by seconds: Double) {
        time.withLock { $0 += seconds }
    }
}
