import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// Pseudorandom bytes, the same in every run with the same seed. For tests only.
package final class SeededRandomSource: RandomSource {
    private let state: Lock<UInt64>

    package init(seed: UInt64 = 1) { state = Lock(seed) }

    package func bytes(count: Int) -> [UInt8] {
        state.withLock { state in
            (0..<count).map { _ in Self.nextByte(&state) }
        }
    }

    /// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014); its top byte.
    private static func nextByte(_ state: inout UInt64) -> UInt8 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return UInt8(truncatingIfNeeded: (mixed ^ (mixed >> 31)) >> 56)
    }
}
