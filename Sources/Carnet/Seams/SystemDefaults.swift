public import CarnetProtocol
public import Foundation

/// The machine's clock.
public struct SystemWallClock: WallClock {
    public init() {}

    public var now: Date { Date() }
}

/// The system's cryptographically secure generator, which cannot fail.
public struct SystemRandomSource: RandomSource {
    public init() {}

    public func bytes(count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in generator.next() }
    }
}
