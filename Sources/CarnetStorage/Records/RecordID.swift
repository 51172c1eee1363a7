package import Carnet
import CarnetCrypto
import CarnetFoundation

/// A name for a record that is safe in any file system and short enough for any index. No two accounts share it, even
/// if their names differ only in Unicode normalization.
package struct RecordID: Hashable, Sendable {
    /// The maximum length of a provider or account name, in bytes of UTF-8.
    private static let nameLimit = 65_536

    /// 64 hexadecimal digits.
    package let text: String
    /// A position from 1 to 2^62 that two accounts hardly ever share.
    let lockPosition: Int64

    /// - Throws: `TokenStoreError`, `unacceptable`, if a name is too long.
    package init(_ key: ConnectionKey) throws {
        var hash = SHA256()
        for part in [key.provider, key.account] {
            let bytes = Array(part.utf8)
            guard bytes.count <= Self.nameLimit else {
                throw TokenStoreError(
                    .unacceptable, "a provider or account name is longer than \(Self.nameLimit) bytes")
            }
            hash.update(data: withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { Array($0) })
            hash.update(data: bytes)
        }
        let digest = hash.finalize()
        text = digest.hexadecimal
        lockPosition = Int64(digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 2) + 1
    }
}

extension [UInt8] {
    /// - Returns: `nil` if the text is not pairs of hexadecimal digits.
    package init?(hexDigits text: String) {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

extension Sequence<UInt8> {
    package var hexadecimal: String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * underestimatedCount)
        func append(_ digit: UInt8) { text.append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)) }
        for byte in self {
            append(byte >> 4)
            append(byte & 15)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
