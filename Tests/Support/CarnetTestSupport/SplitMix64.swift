import Foundation

/// How much a property test tries. Each run has another seed; `CARNET_SEED` repeats the one that a failure names.
/// `CARNET_CASES=10` tries ten times as many cases, as `.ci/nightly` does.
public enum Budget {
    public static let seed = number("CARNET_SEED") ?? UInt64.random(in: 0...UInt64(UInt32.max))
    public static let factor = number("CARNET_CASES").map(Int.init) ?? 1

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
}

/// The same numbers in every run with the same seed.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True once in so many times.
    public mutating func once(in count: Int) -> Bool { next() % UInt64(count) == 0 }

    public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

    public mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
