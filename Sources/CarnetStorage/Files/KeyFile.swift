import Carnet
import CarnetProtocol

/// A file of keys that only its owner can read.
enum KeyFile {
    /// - Returns: `nil` if there is no such file.
    /// - Throws: `TokenStoreError`.
    static func read(_ path: String) throws -> KeyRing? {
        try PrivateFolder.read(path).map { try KeyRing(file: $0, at: path) }
    }

    /// Creates a new key in a file, or reads the key that another process has created meanwhile.
    ///
    /// - Throws: `TokenStoreError`.
    static func create(_ path: String, random: any RandomSource, _ calls: FileSystemCalls) throws -> KeyRing {
        let unique = random.bytes(count: 8).hexadecimal
        _ = try PrivateFolder.create(path, with: random.bytes(count: EncryptionKey.length), unique: unique, calls)
        guard let ring = try read(path) else { throw TokenStoreError(.unavailable, "\(path) was deleted") }
        return ring
    }
}

extension KeyRing {
    /// The keys in a file: one of 32 bytes, or text for `init(text:)`.
    ///
    /// - Throws: `TokenStoreError`, `unreadable`.
    package init(file bytes: [UInt8], at path: String) throws {
        if bytes.count == EncryptionKey.length {
            self.init(try EncryptionKey(bytes))
            return
        }
        guard let text = String(validating: bytes, as: UTF8.self), let ring = try? KeyRing(text: text) else {
            throw TokenStoreError(
                .unreadable,
                "\(path) is damaged: it contains neither a key of \(EncryptionKey.length) bytes nor keys as text, and "
                    + "has \(bytes.count) bytes",
                remedy: "restore \(path) from a backup: the records are intact, and no other key can decrypt them"
            )
        }
        self = ring
    }
}
