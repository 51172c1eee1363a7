import Carnet
import CarnetProtocol
import Crypto

/// Where the key comes from that a `FileTokenStore` seals its records with.
public struct StoreKeySource: Sendable {
    enum Place: Sendable {
        case file(String)
        case given(StoreKey)
    }

    let place: Place

    /// A file of 32 bytes that only its owner may read; it is made, with a new key, before the first record is.
    public static func file(_ path: String) -> Self {
        Self(place: .file(path))
    }

    /// A key from elsewhere: a keychain, the environment, a test.
    ///
    /// - Parameter bytes: 32 bytes that cannot be guessed.
    /// - Throws: `TokenStoreError`, `unacceptable`, if there are more or fewer.
    public static func bytes(_ bytes: [UInt8]) throws -> Self {
        guard let key = StoreKey(bytes) else {
            throw TokenStoreError(.unacceptable, "a store's key has 32 bytes, and \(bytes.count) were given")
        }
        return Self(place: .given(key))
    }
}

extension StoreKeySource: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch place {
        case .file(let path): "file \(path)"
        case .given: "[redacted]"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A key of AES-256.
struct StoreKey: Sendable {
    static let length = 32

    let key: SymmetricKey
    /// Tells keys apart and nothing about them: the beginning of a hash of 256 bits that nobody can guess.
    let id: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        key = SymmetricKey(data: bytes)
        id = Array(SHA256.hash(data: Array("carnet store key id".utf8) + bytes).prefix(8))
    }

    static func text(_ id: [UInt8]) -> String { id.hexadecimal }

    /// - Returns: `nil` if there is no such file.
    /// - Throws: `TokenStoreError`.
    static func read(_ path: String) throws -> StoreKey? {
        guard let bytes = try PrivateFolder.read(path) else { return nil }
        guard let key = StoreKey(bytes) else {
            throw TokenStoreError(
                .unreadable, "\(path) is damaged: a key has \(length) bytes, and it has \(bytes.count)")
        }
        return key
    }

    /// Makes a new key in a file, or reads the one that another process has made meanwhile.
    ///
    /// - Throws: `TokenStoreError`.
    static func create(_ path: String, random: any RandomSource, _ calls: FileSystemCalls) throws -> StoreKey {
        let unique = random.bytes(count: 8).hexadecimal
        _ = try PrivateFolder.create(path, with: random.bytes(count: length), unique: unique, calls)
        guard let key = try read(path) else { throw TokenStoreError(.unavailable, "\(path) has gone") }
        return key
    }
}

extension Sequence<UInt8> {
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
