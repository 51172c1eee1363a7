import CarnetTesting
import Foundation

/// How many random cases each oracle has. `.ci/nightly` tries ten times as many: this build does arithmetic slowly.
enum OracleCases {
    static let count = ProcessInfo.processInfo.environment["CARNET_ORACLE_CASES"].flatMap { Int($0) } ?? 100
}

/// Bytes that look random and are the same in each run.
struct RandomCases {
    private let source: SeededRandomSource

    init(seed: UInt64) {
        source = SeededRandomSource(seed: seed)
    }

    func bytes(_ count: Int) -> [UInt8] { source.bytes(count: count) }

    /// From none to `limit` bytes.
    func message(upTo limit: Int) -> [UInt8] { bytes(number(limit + 1)) }

    func number(_ limit: Int) -> Int {
        bytes(4).reduce(0) { $0 << 8 | Int($1) } % limit
    }
}
