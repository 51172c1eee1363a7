package import Carnet
import CarnetCrypto
import CarnetFoundation

/// The bytes of a record, the same in every store:
///
///     magic (8) | format version (1) | key id (8) | length of the name (4, big-endian) | name (JSON)
///     | nonce (12) | ciphertext | tag (16)
///
/// The name identifies the account and is readable without the key. Everything before the nonce is associated data of
/// AES-256-GCM, so that a record cannot replace another one.
package struct EncryptedRecord: Sendable {
    static let magic = Array("carnetRC".utf8)
    static let formatVersion: UInt8 = 2
    private static let fixedLength = 8 + 1 + 8 + 4
    /// In bytes.
    private static let limit = 8 << 20

    private struct Name: Codable {
        var provider: String
        var account: String
        /// Format 1 does not contain it.
        var client: String?
    }

    package let key: ConnectionKey
    /// The key that encrypted it.
    package var keyID: String { keyIDBytes.hexadecimal }

    private let client: String?
    private let keyIDBytes: [UInt8]
    private let header: [UInt8]
    private let box: [UInt8]

    /// Reads the part that needs no key.
    ///
    /// - Parameter place: The place of the bytes, for messages.
    /// - Throws: `TokenStoreError`, `unreadable`.
    package init(_ bytes: [UInt8], at place: String) throws {
        guard bytes.starts(with: Self.magic), bytes.count > Self.magic.count else {
            throw TokenStoreError(.unreadable, "\(place) is damaged: its header is invalid")
        }
        let version = bytes[Self.magic.count]
        guard (1...Self.formatVersion).contains(version) else {
            throw TokenStoreError(
                .unreadable,
                "\(place) has the format \(version), and this version reads formats up to \(Self.formatVersion): "
                    + "use a newer version of the program"
            )
        }
        guard bytes.count >= Self.fixedLength, case let nameLength = bytes[17..<21].reduce(0, { $0 << 8 | Int($1) }),
            bytes.count - Self.fixedLength >= nameLength,
            let name = try? JSONDecoder().decode(Name.self, from: Data(bytes[21..<21 + nameLength]))
        else { throw TokenStoreError(.unreadable, "\(place) is damaged: it is truncated or was changed") }
        key = ConnectionKey(provider: name.provider, account: name.account)
        client = name.client
        keyIDBytes = Array(bytes[9..<17])
        header = Array(bytes.prefix(Self.fixedLength + nameLength))
        box = Array(bytes.dropFirst(header.count))
    }

    /// - Parameter owner: The expected account.
    /// - Throws: `TokenStoreError`, `unreadable`.
    package func decrypt(of owner: ConnectionKey, with ring: KeyRing, at place: String) throws -> Connection {
        guard key == owner else { throw TokenStoreError(.unreadable, "\(place) is the record of another account") }
        guard let encryptionKey = ring.key(keyIDBytes) else {
            throw TokenStoreError(
                .unreadable,
                "\(place) is encrypted with the key \(keyID), and the store has \(ring.list): add the missing key")
        }
        guard
            let payload = encryptionKey.decrypt(box, binding: header),
            let connection = try? JSONDecoder().decode(Connection.self, from: payload),
            connection.key == key, (client ?? connection.clientID).isSameBytes(as: connection.clientID)
        else { throw TokenStoreError(.unreadable, "\(place) is damaged: it cannot be decrypted with its key \(keyID)") }
        return connection
    }

    /// The bytes of a new record.
    ///
    /// - Throws: `TokenStoreError`, `unacceptable`, if they are too many.
    package static func encrypt(_ connection: Connection, with ring: KeyRing, nonce: [UInt8]) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let name = try encoder.encode(
            Name(
                provider: connection.key.provider, account: connection.key.account, client: connection.clientID)
        )
        var header = magic + [formatVersion] + ring.first.idBytes
        header += withUnsafeBytes(of: UInt32(name.count).bigEndian) { Array($0) }
        header += name
        let payload = try encoder.encode(connection)
        guard header.count + payload.count <= limit else {
            throw TokenStoreError(.unacceptable, "the tokens of an account are larger than \(limit >> 20) MB")
        }
        return header + (try ring.encrypt(payload, binding: header, nonce: nonce))
    }

    /// The revision of a record. It is unique, because each save has its own nonce.
    package static func revision(of bytes: [UInt8]) -> String { SHA256.hash(data: bytes).hexadecimal }
}
