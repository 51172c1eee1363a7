public import CarnetProtocol
import Foundation
import Synchronization

/// Gives the same bytes at every run, and such that 32 of them are read as `pretend-value-1-000...` where they are sent.
final class PretendRandomSource: RandomSource {
    private let count = Mutex(0)

    func bytes(count length: Int) -> [UInt8] {
        let number = count.withLock { count in
            count += 1
            return count
        }
        // 32 bytes are 43 characters of base64url, the last of which has two bits that must be zero, as in 0.
        let text = "pretend_value_\(number)_".padding(toLength: 43, withPad: "0", startingAt: 0)
        let base64 = text.replacing("_", with: "/") + "="
        let bytes = Data(base64Encoded: base64).map { Array($0) } ?? []
        return Array((bytes + Array(repeating: 0, count: length)).prefix(length))
    }
}
