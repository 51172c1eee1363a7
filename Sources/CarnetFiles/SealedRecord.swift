import Carnet
import Crypto
import Foundation

/// The bytes of a record:
///
///     magic (8) | format version (1) | key id (8) | length of the name (4, big-endian) | name (JSON)
///     | nonce (12) | ciphertext | tag (16)
///
/// The name says whose record it is and can be read without the key. Everything before the nonce is bound to the
/// ciphertext as associated data of AES-256-GCM, so that no record can be passed off as another's.
struct SealedRecord {
    static let magic = Array("carnetRC".utf8)
    static let formatVersion: UInt8 = 1
    private static let fixedLength = 8 + 1 + 8 + 4

    let key: ConnectionKey
    private let keyID: [UInt8]
    private let header: [UInt8]
    private let box: [UInt8]

    /// Reads what can be read without the key.
    ///
    /// - Throws: `TokenStoreError`, `unreadable`.
    init(_ bytes: [UInt8], path: String) throws {
        guard bytes.starts(with: Self.magic), bytes.count > Self.magic.count else {
            throw TokenStoreError(.unreadable, "\(path) is damaged: it does not begin as a record does")
        }
        let version = bytes[Self.magic.count]
        guard version == Self.formatVersion else {
            throw TokenStoreError(
                .unreadable,
                "\(path) has the format \(version), and this version reads \(Self.formatVersion): use a newer one"
            )
        }
        let damaged = TokenStoreError(.unreadable, "\(path) is damaged: it is cut short or changed")
        guard bytes.count >= Self.fixedLength else { throw damaged }
        let nameLength = bytes[17..<21].reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count - Self.fixedLength >= nameLength else { throw damaged }
        let name = Data(bytes[21..<21 + nameLength])
        guard let key = try? JSONDecoder().decode(ConnectionKey.self, from: name) else { throw damaged }
        self.key = key
        keyID = Array(bytes[9..<17])
        header = Array(bytes.prefix(Self.fixedLength + nameLength))
        box = Array(bytes.dropFirst(header.count))
    }

    /// - Throws: `TokenStoreError`, `unreadable`.
    func open(with storeKey: StoreKey, path: String) throws -> Connection {
        guard keyID == storeKey.id else {
            throw TokenStoreError(
                .unreadable,
                "\(path) is sealed with the key \(StoreKey.text(keyID)), and the store has the key "
                    + StoreKey.text(storeKey.id)
            )
        }
        guard
            let sealed = try? AES.GCM.SealedBox(combined: box),
            let payload = try? AES.GCM.open(sealed, using: storeKey.key, authenticating: header),
            let connection = try? JSONDecoder().decode(Connection.self, from: payload),
            connection.key == key
        else {
            throw TokenStoreError(
                .unreadable,
                "\(path) is damaged: it does not open with the key \(StoreKey.text(keyID))"
            )
        }
        return connection
    }

    /// The bytes of a new record.
    static func seal(_ connection: Connection, with storeKey: StoreKey, nonce: [UInt8]) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let name = try encoder.encode(connection.key)
        var header = magic + [formatVersion] + storeKey.id
        header += withUnsafeBytes(of: UInt32(name.count).bigEndian) { Array($0) }
        header += name
        let box = try AES.GCM.seal(
            try encoder.encode(connection),
            using: storeKey.key,
            nonce: AES.GCM.Nonce(data: nonce),
            authenticating: header
        )
        return header + box.nonce + box.ciphertext + box.tag
    }
}
