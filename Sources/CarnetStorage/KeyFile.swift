import Carnet
import CarnetProtocol

/// A file of keys that only its owner may read.
enum KeyFile {
    /// - Returns: `nil` if there is no such file.
    /// - Throws: `TokenStoreError`.
    static func read(_ path: String) throws -> KeyRing? {
        guard let bytes = try PrivateFolder.read(path) else { return nil }
        if bytes.count == SealingKey.length { return KeyRing(try SealingKey(bytes)) }
        guard let text = String(validating: bytes, as: UTF8.self), let ring = try? KeyRing(text: text) else {
            throw TokenStoreError(
                .unreadable,
                "\(path) is damaged: it holds neither the \(SealingKey.length) bytes of a key nor keys as text, and "
                    + "has \(bytes.count) bytes"
            )
        }
        return ring
    }

    /// Makes a new key in a file, or reads the one that another process has made meanwhile.
    ///
    /// - Throws: `TokenStoreError`.
    static func create(_ path: String, random: any RandomSource, _ calls: FileSystemCalls) throws -> KeyRing {
        let unique = random.bytes(count: 8).hexadecimal
        _ = try PrivateFolder.create(path, with: random.bytes(count: SealingKey.length), unique: unique, calls)
        guard let ring = try read(path) else { throw TokenStoreError(.unavailable, "\(path) has gone") }
        return ring
    }
}
