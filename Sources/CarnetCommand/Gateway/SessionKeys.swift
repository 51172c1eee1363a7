import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetProtocol
import CarnetStorage

/// The keys of a gateway's cookies and records. A running gateway goes on with the last keys that were right.
final class SessionKeys: Sendable {
    private let find: @Sendable () async throws -> KeyRing?
    /// The file, if the keys are in one.
    let file: String?
    /// Whether the gateway file says nothing, so that the gateway makes and keeps a key.
    let isOwn: Bool
    private let current = Lock<KeyRing?>(nil)

    /// - Throws: `TokenStoreError` for a key that is no key.
    init(_ place: SecretPlace?, own: String, below folder: String, _ environment: HostEnvironment) throws {
        isOwn = place == nil
        switch place {
        case .file(let path):
            let path = Path.below(folder, path)
            (find, file) = ({ try SessionKeys.given(path) }, path)
        case .environment(let name):
            let source = StoreKeySource.environment(name) { environment[$0] }
            (find, file) = ({ try await source.keys() }, nil)
        case .inline(let text):
            let ring = try KeyRing(text: text.reveal())
            (find, file) = ({ ring }, nil)
        case nil: (find, file) = ({ try await SessionKeys.made(own) }, own)
        }
    }

    /// For the store: as `read` found them last.
    var forStore: StoreKeySource {
        .asking { [self] in
            if let ring = current.withLock({ $0 }) { return ring }
            if let ring = try await read() { return ring }
            throw TokenStoreError(.unavailable, "the key \(file ?? "of the sessions") does not exist")
        }
    }

    /// Whether no keys were found yet.
    var isMissing: Bool { current.withLock { $0 == nil } }

    /// - Returns: `nil` if they are a file that does not exist.
    /// - Throws: `TokenStoreError`. The keys before stay in use.
    @discardableResult
    func read() async throws -> KeyRing? {
        let ring = try await find()
        if let ring { current.withLock { $0 = ring } }
        return ring
    }

    /// Makes the file of `isOwn`.
    ///
    /// - Throws: `TokenStoreError`, also if the store has records of a key that is missing.
    func make(_ file: String, for store: String, isEmpty: () async throws -> Bool) async throws -> KeyRing {
        let ring = try await StoreKeySource.file(file).keysToEncrypt(
            in: store, random: SystemRandomSource(), isEmpty: isEmpty)
        current.withLock { $0 = ring }
        return ring
    }

    /// The keys of an operator's own file. As any other secret of the file, it may be a link, and of any user: so
    /// containers have it.
    private static func given(_ path: String) throws -> KeyRing? {
        let bytes: [UInt8]
        do throws(SourceFileError) {
            bytes = Array(try SourceFile(readingFrom: path, maximumBytes: 1 << 18).exactText().utf8)
        } catch {
            guard error.reason != .notFound else { return nil }
            throw TokenStoreError(.unavailable, "\(error)")
        }
        return try KeyRing(file: bytes, at: path)
    }

    /// The keys of the gateway's own file. Root reads it in the folder of the gateway's user, and follows no link there.
    private static func made(_ path: String) async throws -> KeyRing? {
        guard let user = FolderUser.other(in: Path.parent(of: path)) else {
            return try await StoreKeySource.file(path).keys()
        }
        return try PrivateFolder.read(path, of: user).map { try KeyRing(file: $0, at: path) }
    }
}
