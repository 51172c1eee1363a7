import Carnet
import CarnetFoundation
import CarnetGateway
import CarnetProtocol
import CarnetStorage

/// The keys of a gateway's cookies and records. A running gateway goes on with the last keys that were right.
final class SessionKeys: Sendable {
    private let source: StoreKeySource
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
            (source, file) = (.file(path), path)
        case .environment(let name): (source, file) = (.environment(name) { environment[$0] }, nil)
        case .inline(let text): (source, file) = (.keys(try KeyRing(text: text.reveal())), nil)
        case nil: (source, file) = (.file(own), own)
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

    /// Reads the keys again.
    ///
    /// - Returns: `nil` if they are a file that does not exist.
    /// - Throws: `TokenStoreError`. The keys before stay in use.
    @discardableResult
    func read() async throws -> KeyRing? {
        let ring: KeyRing?
        if let file, FolderUser.differs(in: Self.folder(of: file)) {
            let name = file.split(separator: "/").last.map(String.init) ?? file
            ring = try await FolderUser.acting(in: Self.folder(of: file)) {
                try await StoreKeySource.file("./\(name)").keys()
            }
        } else {
            ring = try await source.keys()
        }
        if let ring { current.withLock { $0 = ring } }
        return ring
    }

    /// Makes the file of `isOwn`.
    ///
    /// - Throws: `TokenStoreError`, also if the store has records of a key that is missing.
    func make(for store: String, isEmpty: () async throws -> Bool) async throws -> KeyRing {
        let ring = try await source.keysToEncrypt(in: store, random: SystemRandomSource(), isEmpty: isEmpty)
        current.withLock { $0 = ring }
        return ring
    }

    private static func folder(of file: String) -> String {
        let folder = Path.folder(of: file)
        return folder.isEmpty ? "." : folder
    }
}
