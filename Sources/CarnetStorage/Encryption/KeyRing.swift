import Carnet
import CarnetCrypto
import CarnetFoundation

/// The keys of a store: the first encrypts, all decrypt.
///
/// To rotate keys without downtime, first add the new key in second place for every process. Then move it to the
/// front. Records are encrypted with it at their next save. Remove the old key when the store's `inventory()` no
/// longer names it.
public struct KeyRing: Sendable {
    package let first: EncryptionKey
    package let others: [EncryptionKey]

    package init(_ first: EncryptionKey, others: [EncryptionKey] = []) {
        self.first = first
        self.others = others
    }

    /// Keys from a secret service, each of 32 unpredictable bytes.
    ///
    /// - Throws: `TokenStoreError`, `unacceptable`, if there is none, or one has more or fewer bytes. The error contains no key.
    public init(keys: [[UInt8]]) throws { try self.init(keys.map { try EncryptionKey($0) }) }

    /// Keys as text: each 32 bytes as base64 or as 64 hexadecimal digits, separated by line breaks, spaces or commas. A line
    /// that begins with `#` is a comment.
    ///
    /// - Throws: `TokenStoreError`, `unacceptable`. The error contains no key.
    public init(text: String) throws {
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.drop(while: \.isWhitespace).hasPrefix("#") }
        try self.init(
            lines.flatMap { $0.split { $0 == "," || $0.isWhitespace } }.map { try EncryptionKey(text: String($0)) })
    }

    private init(_ keys: [EncryptionKey]) throws {
        guard let first = keys.first else { throw TokenStoreError(.unacceptable, "the store's key is empty") }
        self.init(first, others: Array(keys.dropFirst()))
    }

    func key(_ id: some Collection<UInt8>) -> EncryptionKey? {
        ([first] + others).first { $0.idBytes.elementsEqual(id) }
    }

    /// The id of each key, as in `StoreInventory.recordsByKeyID`: the beginning of its hash, as 16 hexadecimal digits.
    public var ids: [String] { ([first] + others).map(\.id) }

    /// For a message about a missing key.
    var list: String { "the key" + (ids.count == 1 ? " " : "s ") + ids.joined(separator: ", ") }

    /// - Returns: Nonce (12), ciphertext and tag (16).
    func encrypt(_ payload: some DataProtocol, binding header: [UInt8], nonce: [UInt8]) throws -> [UInt8] {
        let box = try AES.GCM.seal(
            payload, using: first.symmetric, nonce: AES.GCM.Nonce(data: nonce), authenticating: header)
        return Array(box.nonce) + box.ciphertext + box.tag
    }
}

extension EncryptionKey {
    /// - Returns: `nil` if a byte was changed, or another key encrypted it.
    func decrypt(_ box: [UInt8], binding header: [UInt8]) -> Data? {
        guard let sealed = try? AES.GCM.SealedBox(combined: box) else { return nil }
        return try? AES.GCM.open(sealed, using: symmetric, authenticating: header)
    }
}

extension KeyRing {
    /// A secret of 32 bytes from each key, in the order of the ring (HKDF, RFC 5869). It reveals nothing of the key.
    ///
    /// Processes with the same ring have the same secrets, and a rotation of the ring rotates them.
    package func derivedSecrets(for purpose: String) -> [[UInt8]] {
        ([first] + others).map { key in
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: key.symmetric, info: Array("carnet: \(purpose)".utf8),
                outputByteCount: EncryptionKey.length
            ).withUnsafeBytes { Array($0) }
        }
    }
}
