import CarnetFoundation
import CarnetProtocol

package struct SystemWallClock: WallClock {
    package init() {}

    package var now: Date { Date() }

    package func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

/// The system's cryptographically secure generator, which cannot fail.
package struct SystemRandomSource: RandomSource {
    package init() {}

    package func bytes(count: Int) -> [UInt8] {
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
