public import Carnet
import CarnetProtocol
import Crypto
import Dispatch
import Foundation

/// Keeps each connection in a file of its own, sealed with AES-256-GCM, in a folder that only its owner may use.
///
/// A save replaces the file in one step and survives a crash. Who is signed in where can be read from the files without
/// the key; tokens cannot. Several processes may use one folder at a time.
public final class FileTokenStore: TokenStore {
    /// The longest provider or account name, in bytes of UTF-8.
    private static let nameLimit = 65_536
    private static let suffix = ".record"

    private let folder: PrivateFolder
    private let keySource: StoreKeySource
    private let random: any RandomSource
    private let lockPatience: Duration
    private let sleep: FileLock.Sleep
    private let queue = DispatchQueue(label: "carnet.file-token-store", attributes: .concurrent)

    /// Nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - folder: The path of the store's folder; it is made before the first record is.
    ///   - key: Where the key comes from; the file `key` in the folder unless given.
    ///   - lockPatience: How long to wait for another process that uses the same account.
    public convenience init(
        folder: String,
        key: StoreKeySource? = nil,
        lockPatience: Duration = .seconds(60)
    ) {
        self.init(
            folder: folder,
            key: key,
            lockPatience: lockPatience,
            random: SystemRandomSource(),
            calls: .system,
            sleep: { try await Task.sleep(for: $0) }
        )
    }

    init(
        folder: String,
        key: StoreKeySource?,
        lockPatience: Duration,
        random: any RandomSource,
        calls: FileSystemCalls,
        sleep: @escaping FileLock.Sleep
    ) {
        self.folder = PrivateFolder(path: folder, calls: calls)
        keySource = key ?? .file("\(folder)/key")
        self.lockPatience = lockPatience
        self.random = random
        self.sleep = sleep
    }

    public func load(_ key: ConnectionKey) async throws -> StoredConnection? {
        let name = try Self.name(of: key)
        return try await onQueue { [self] in
            guard try folder.exists(), let bytes = try folder.read(name + Self.suffix) else { return nil }
            let connection = try open(bytes, of: key, path: folder.path(of: name + Self.suffix))
            return StoredConnection(connection: connection, revision: Self.revision(of: bytes))
        }
    }

    public func save(_ connection: Connection, replacing revision: String?) async throws -> String {
        let file = try Self.name(of: connection.key) + Self.suffix
        return try await writing { [self] in
            if let revision {
                guard let current = try folder.read(file), Self.revision(of: current) == revision else {
                    throw TokenStoreError(.conflict, "another process saved or removed this account first")
                }
            }
            let record = try SealedRecord.seal(connection, with: try keyForSaving(), nonce: random.bytes(count: 12))
            try folder.removeTemporaryFiles(of: Self.suffix)
            try folder.replace(file, with: record)
            return Self.revision(of: record)
        }
    }

    /// Removes the record, one that cannot be opened included.
    public func remove(_ key: ConnectionKey) async throws {
        let name = try Self.name(of: key)
        guard try await onQueue({ [self] in try folder.exists() }) else { return }
        try await writing { [self] in
            try folder.removeTemporaryFiles(of: Self.suffix)
            try folder.remove(name + Self.suffix)
        }
    }

    public func keys() async throws -> [ConnectionKey] {
        try await onQueue { [self] in
            guard try folder.exists() else { return [] }
            return try folder.names(withSuffix: Self.suffix)
                .compactMap { file in
                    // Another process may remove a record while this one lists them.
                    guard let bytes = try folder.read(file) else { return nil }
                    let record = try SealedRecord(bytes, path: folder.path(of: file))
                    guard try Self.name(of: record.key) + Self.suffix == file else {
                        throw TokenStoreError(.unreadable, "\(folder.path(of: file)) is the record of another account")
                    }
                    return record.key
                }
                .sorted { ($0.provider, $0.account) < ($1.provider, $1.account) }
        }
    }

    public func withLock<Result: Sendable>(
        on key: ConnectionKey,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let name = try Self.name(of: key)
        try await onQueue { [self] in try folder.create() }
        return try await lock(name + ".lock").withLock(body)
    }

    // MARK: Records

    /// A name that is safe in any file system, whatever the account is called: accounts that Swift holds equal have the
    /// same, no two others have.
    private static func name(of key: ConnectionKey) throws -> String {
        var hash = SHA256()
        for part in [key.provider, key.account] {
            let bytes = Array(part.precomposedStringWithCanonicalMapping.utf8)
            guard bytes.count <= nameLimit else {
                throw TokenStoreError(.unacceptable, "a provider or account name is longer than \(nameLimit) bytes")
            }
            hash.update(data: withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { Array($0) })
            hash.update(data: bytes)
        }
        return hash.finalize().hexadecimal
    }

    private static func revision(of record: [UInt8]) -> String {
        SHA256.hash(data: record).hexadecimal
    }

    private func open(_ bytes: [UInt8], of key: ConnectionKey, path: String) throws -> Connection {
        let record = try SealedRecord(bytes, path: path)
        guard record.key == key else {
            throw TokenStoreError(.unreadable, "\(path) is the record of another account")
        }
        let storeKey: StoreKey
        switch keySource.place {
        case .given(let given):
            storeKey = given
        case .file(let keyPath):
            guard let read = try StoreKey.read(keyPath) else {
                throw TokenStoreError(.unreadable, "\(path) cannot be opened: its key, \(keyPath), is gone")
            }
            storeKey = read
        }
        return try record.open(with: storeKey, path: path)
    }

    private func keyForSaving() throws -> StoreKey {
        switch keySource.place {
        case .given(let key):
            return key
        case .file(let path):
            if let key = try StoreKey.read(path) { return key }
            // A new key would hide for good that the old one is missing.
            guard try folder.names(withSuffix: Self.suffix).isEmpty else {
                throw TokenStoreError(
                    .unreadable,
                    "the key \(path) is gone, and \(folder.path) has records that it sealed: bring it back, or "
                        + "remove the records"
                )
            }
            return try StoreKey.create(path, random: random, folder.calls)
        }
    }

    // MARK: Waiting

    /// One writer at a time in the folder, for as long as a save takes.
    ///
    /// A task that is cancelled with new tokens in its hands still has to save them: the old ones may be void by then.
    private func writing<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await Task { [self] in
            try await onQueue { [self] in try folder.create() }
            return try await lock("write.lock").withLock {
                try await onQueue(work)
            }
        }.value
    }

    private func lock(_ name: String) -> FileLock {
        FileLock(path: folder.path(of: name), patience: lockPatience, sleep: sleep)
    }

    /// Files can be slow: the threads that tasks run on must not wait for them.
    private func onQueue<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Swift.Result { try work() })
            }
        }
    }
}
