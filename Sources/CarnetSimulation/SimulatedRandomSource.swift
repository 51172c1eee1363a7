import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// Gives the same bytes at every run, and such that 32 of them are read as `simulated_value_1_000...` where they are sent.
final class SimulatedRandomSource: RandomSource {
    private let count = Lock(0)

    func bytes(count length: Int) -> [UInt8] {
        let values = max(1, length / 32)
        let number = count.withLock { count in
            count += values
            return count - values + 1
        }
        guard length == 32 * values else { return Self.bytes(number, count: length) }
        return (number..<number + values).flatMap {
            $0 <= Self.first.count ? Self.first[$0 - 1] : Self.bytes($0, count: 32)
        }
    }

    /// The random values of one sign-in.
    private static let first = (1...4).map { bytes($0, count: 32) }

    private static func bytes(_ number: Int, count length: Int) -> [UInt8] {
        // 32 bytes are 43 characters of base64url, the last of which has two bits that must be zero, as in 0.
        let start = "simulated_value_\(number)_"
        let text = start + String(repeating: "0", count: max(0, 43 - start.utf8.count))
        let bytes = Base64URL.decode(text.utf8) ?? []
        return Array((bytes + Array(repeating: 0, count: length)).prefix(length))
    }
}
