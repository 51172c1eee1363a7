public import Carnet
import CarnetProtocol
public import CarnetStorage

/// Keeps each connection and each pending sign-in in its own file, encrypted with AES-256-GCM, in a private folder.
///
/// A save replaces the file atomically and survives a crash. Provider and account names are readable without the key;
/// tokens are not. Several processes may use one folder.
public final class FileTokenStore: InventoriedStore {
    static let suffix = ".record"
    private static let lockName = "lock"
    /// The maximum growth of a record in a refresh, in bytes.
    private static let growth = 4096

    let folder: PrivateFolder
    let keySource: StoreKeySource
    let random: any RandomSource
    private let locks: AccountLocks
    let blocking = BlockingCalls(label: "carnet.file-token-store")

    /// Creates the store without reading or writing.
    ///
    /// - Parameters:
    ///   - folder: The path of the store's folder. It is created before the first record.
    ///   - key: The source of the key; by default the file `key` in the folder.
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
        locks = AccountLocks(path: "\(folder)/\(Self.lockName)", patience: lockPatience, sleep: sleep)
        self.random = random
    }

    public func load(_ key: ConnectionKey) async throws -> StoredConnection? {
        let file = try Self.file(of: key)
        let bytes = try await blocking.run { [folder] in
            try folder.exists() ? try folder.read(file) : nil
        }
        guard let bytes else { return nil }
        let path = folder.path(of: file)
        let record = try SealedRecord(bytes, at: path)
        let connection = try record.open(of: key, with: try await keySource.keysForOpening(path), at: path)
        return StoredConnection(connection: connection, revision: SealedRecord.revision(of: bytes))
    }

    public func save(_ connection: Connection, replacing revision: String?) async throws -> String {
        let file = try Self.file(of: connection.key)
        return try await writing { [self] in
            if let revision {
                let current = try await blocking.run { [folder] in try folder.read(file) }
                guard let current, SealedRecord.revision(of: current) == revision else {
                    throw TokenStoreError(.conflict, "another process saved or removed this account first")
                }
            }
            let record = try SealedRecord.seal(
                connection, with: try await sealingKeys(), nonce: random.bytes(count: 12))
            try await blocking.run { [folder] in
                try folder.removeTemporaryFiles(of: Self.suffix)
                try folder.replace(file, with: record)
            }
            return SealedRecord.revision(of: record)
        }
    }

    public func prepareToSave(_ key: ConnectionKey) async throws {
        let file = try Self.file(of: key)
        try await writing { [self] in
            _ = try await sealingKeys()
            try await blocking.run { [folder] in
                // A record that cannot be read is replaced.
                let size = (try? folder.read(file))??.count ?? 0
                try folder.tryWriting(file, count: size + Self.growth)
            }
        }
    }

    @discardableResult
    public func remove(_ key: ConnectionKey, ifRevision revision: String?) async throws -> Bool {
        let file = try Self.file(of: key)
        guard try await blocking.run({ [folder] in try folder.exists() }) else { return false }
        return try await writing { [self] in
            try await blocking.run { [folder] in
                if let revision {
                    guard let current = try folder.read(file), SealedRecord.revision(of: current) == revision else {
                        return false
                    }
                }
                try folder.removeTemporaryFiles(of: Self.suffix)
                return try folder.remove(file)
            }
        }
    }

    /// The readable parts of the files. It needs no key.
    ///
    /// - Throws: `TokenStoreError`, `unavailable`.
    public func inventory() async throws -> StoreInventory {
        try await blocking.run { [folder] in
            var inventory = StoreInventory()
            guard try folder.exists() else { return inventory }
            for file in try folder.names(withSuffix: Self.suffix) {
                do {
                    // Another process may remove a record during the listing.
                    guard let bytes = try folder.read(file) else { continue }
                    let path = folder.path(of: file)
                    let record = try SealedRecord(bytes, at: path)
                    guard try Self.file(of: record.key) == file else {
                        throw TokenStoreError(.unreadable, "\(path) is the record of another account")
                    }
                    inventory.add(record.key, sealedBy: record.keyID)
                } catch var error as TokenStoreError {
                    // Its owner is unknown, so that no sign-out finds it.
                    error.remedy = error.remedy ?? PrivateFolder.settingAside(folder.path(of: file))
                    inventory.damaged.append(error)
                }
            }
            inventory.sort()
            return inventory
        }
    }

    public func withLock<Result: Sendable>(
        on key: ConnectionKey,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let id = try RecordID(key)
        try await blocking.run { [folder] in try folder.create() }
        return try await locks.withLock(on: id, body)
    }

    func sealingKeys() async throws -> KeyRing {
        try await keySource.keysForSealing(in: folder.path, random: random, calls: folder.calls) {
            try await blocking.run { [folder] in try folder.names(withSuffix: Self.suffix).isEmpty }
        }
    }

    private static func file(of key: ConnectionKey) throws -> String {
        try RecordID(key).text + suffix
    }

    /// A lock for one writer at a time in the folder, for the duration of a save.
    ///
    /// A cancelled task with new tokens must still save them: the old ones may be invalid by then.
    func writing<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await Task { [self] in
            try await blocking.run { [folder] in try folder.create() }
            return try await locks.withStoreLock(work)
        }.value
    }
}
