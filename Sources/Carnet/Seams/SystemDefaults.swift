public import CarnetProtocol
public import Foundation

/// The machine's clock.
public struct SystemWallClock: WallClock {
    public init() {}

    public var now: Date { Date() }
}

/// Waits in real time.
public struct SystemSleeper: Sleeper {
    public init() {}

    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration)
    }
}

/// The system's cryptographically secure generator, which cannot fail.
public struct SystemRandomSource: RandomSource {
    public init() {}

    public func bytes(count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in generator.next() }
    }
}
