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
        let isHexadecimal = trimmed.utf8.count == 2 * Self.length
        guard let bytes = (isHexadecimal ? [UInt8](hexDigits: trimmed) : nil) ?? Self.base64(trimmed) else {
            throw TokenStoreError(
                .unacceptable, "a store's key must be base64 or 64 hexadecimal digits: openssl rand -base64 32")
        }
        try self.init(bytes)
    }

    private static func base64(_ text: String) -> [UInt8]? {
        var standard = text.replacing("-", with: "+").replacing("_", with: "/")
        while standard.last == "=" { standard.removeLast() }
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: standard + padding).map { Array($0) }
    }
}

extension EncryptionKey: Redacted {
    package var summary: String { "key \(id)" }
}
