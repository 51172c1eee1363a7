public import CarnetProtocol
public import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            #if !os(Windows)
                // One system call, which takes up to 256 bytes, instead of one for each byte.
                while filled < count {
                    let length = min(count - filled, 256)
                    guard getentropy(buffer.baseAddress?.advanced(by: filled), length) == 0 else { break }
                    filled += length
                }
            #endif
            var generator = SystemRandomNumberGenerator()
            while filled < count {
                buffer.initializeElement(at: filled, to: generator.next())
                filled += 1
            }
        }
    }
}
