import Carnet
import CarnetCrypto
import CarnetFoundation
import CarnetProtocol

/// A key of AES-256-GCM that encrypts a store's records. Its description does not show it.
package struct EncryptionKey: Sendable {
    static let length = 32
    static let idLength = 8

    let symmetric: SymmetricKey
    let idBytes: [UInt8]

    /// Identifies the key without revealing it: the beginning of its hash, as 16 hexadecimal digits.
    package var id: String { idBytes.hexadecimal }

    /// - Parameter bytes: 32 unpredictable bytes.
    /// - Throws: `TokenStoreError`, `unacceptable`, if there are more or fewer.
    package init(_ bytes: [UInt8]) throws {
        guard bytes.count == Self.length else {
            throw TokenStoreError(
                .unacceptable, "a store's key must have \(Self.length) bytes, not \(bytes.count)")
        }
        symmetric = SymmetricKey(data: bytes)
        idBytes = Array(SHA256.hash(data: Array("carnet store key id".utf8) + bytes).prefix(Self.idLength))
    }

    /// - Parameter text: 32 bytes as base64, with or without padding, or as 64 hexadecimal digits.
    /// - Throws: `TokenStoreError`, `unacceptable`, without the string.
    package init(text: String) throws {
        let trimmed = String(text.trimming(\.isWhitespace))
        guard let bytes = Self.hexadecimal(trimmed) ?? Self.base64(trimmed) else {
            throw TokenStoreError(
                .unacceptable, "a store's key must be base64 or 64 hexadecimal digits: openssl rand -base64 32")
        }
        try self.init(bytes)
    }

    private static func hexadecimal(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == length * 2, text.utf8.count == digits.count else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private static func base64(_ text: String) -> [UInt8]? {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/").trimmingSuffix("=")
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: standard + padding).map { Array($0) }
    }
}

extension EncryptionKey: Redacted {
    package var summary: String { "key \(id)" }
}

extension String {
    fileprivate func trimmingSuffix(_ character: Character) -> String {
        var text = self[...]
        while text.last == character { text.removeLast() }
        return String(text)
    }
}
