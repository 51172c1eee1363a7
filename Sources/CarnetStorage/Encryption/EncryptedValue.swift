import Carnet
import CarnetFoundation
package import CarnetProtocol

/// A value encrypted into a short string, for a place that others can read and change, such as a cookie:
///
///     base64url( format version (1) | key id (8) | nonce (12) | ciphertext | tag (16) )
///
/// The purpose is associated data, so that a value cannot be used for another purpose.
package enum EncryptedValue {
    private static let formatVersion: UInt8 = 1
    private static let headerLength = 1 + 8

    /// - Parameter purpose: The use of the value, e.g. `pending sign-in`.
    /// - Throws: `EncodingError`.
    package static func encrypt(
        _ value: some Encodable, for purpose: String, with ring: KeyRing,
        random: any RandomSource = SystemRandomSource()
    ) throws -> String {
        let header = [formatVersion] + ring.first.idBytes
        let payload = try JSONEncoder().encode(value)
        let box = try ring.encrypt(payload, binding: header + Array(purpose.utf8), nonce: random.bytes(count: 12))
        return Base64URL.encode(header + box)
    }

    /// - Throws: `TokenStoreError`, `unreadable`; it names the key if the ring does not have it.
    package static func decrypt<Value: Decodable>(
        _ text: String, as type: Value.Type = Value.self, for purpose: String, with ring: KeyRing
    ) throws -> Value {
        let payload = try payload(of: text, for: purpose, with: ring)
        guard let value = try? JSONDecoder().decode(type, from: payload) else { throw damaged(purpose) }
        return value
    }

    /// Whether a value was encrypted for this purpose.
    package static func opens(_ text: String, for purpose: String, with ring: KeyRing) -> Bool {
        (try? payload(of: text, for: purpose, with: ring)) != nil
    }

    private static func damaged(_ purpose: String) -> TokenStoreError {
        TokenStoreError(.unreadable, "the encrypted \(purpose) is truncated or was changed")
    }

    private static func payload(of text: String, for purpose: String, with ring: KeyRing) throws -> Data {
        let damaged = damaged(purpose)
        guard let bytes = Base64URL.decode(text.utf8), bytes.count > headerLength else { throw damaged }
        guard bytes[0] == formatVersion else {
            throw TokenStoreError(
                .unreadable,
                "the encrypted \(purpose) has the format \(bytes[0]), and this version reads \(formatVersion)")
        }
        let keyID = bytes[1..<headerLength]
        guard let key = ring.key(keyID) else {
            throw TokenStoreError(
                .unreadable,
                "the \(purpose) is encrypted with the key \(keyID.hexadecimal), and the ring has \(ring.list)")
        }
        let header = Array(bytes.prefix(headerLength)) + Array(purpose.utf8)
        guard let payload = key.decrypt(Array(bytes.dropFirst(headerLength)), binding: header) else { throw damaged }
        return payload
    }
}
