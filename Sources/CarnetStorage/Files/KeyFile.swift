import Carnet
import CarnetProtocol

/// A file of keys that only its owner can read.
enum KeyFile {
    /// - Returns: `nil` if there is no such file.
    /// - Throws: `TokenStoreError`.
    static func read(_ path: String) throws -> KeyRing? {
        guard let bytes = try PrivateFolder.read(path) else { return nil }
        if bytes.count == EncryptionKey.length { return KeyRing(try EncryptionKey(bytes)) }
        guard let text = String(validating: bytes, as: UTF8.self), let ring = try? KeyRing(text: text) else {
            throw TokenStoreError(
                .unreadable,
                "\(path) is damaged: it contains neither a key of \(EncryptionKey.length) bytes nor keys as text, and "
                    + "has \(bytes.count) bytes",
                remedy: "restore \(path) from a backup: the records are intact, and no other key can decrypt them"
            )
        }
        return ring
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
