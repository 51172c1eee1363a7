import Carnet
package import CarnetProtocol

/// Keeps each connection and each pending sign-in in its own file, encrypted with AES-256-GCM, in a private folder.
///
/// A save replaces the file atomically and survives a crash. Provider and account names are readable without the key;
/// tokens are not. Several processes may use one folder.
public final class FileTokenStore: EncryptedStore {
    static let suffix = ".record"
    private static let lockName = "lock"
    /// The maximum growth of a record in a refresh, in bytes.
    private static let growth = 4096

    let folder: PrivateFolder
    package let keySource: StoreKeySource
    package let random: any RandomSource
    package let recent = RecentRecords()
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
            folder: folder, key: key, lockPatience: lockPatience, random: SystemRandomSource(), calls: .system,
            sleep: { try await Task.sleep(for: $0) })
    }

    init(
        folder: String, key: StoreKeySource?, lockPatience: Duration, random: any RandomSource, calls: FileSystemCalls,
        sleep: @escaping FileLock.Sleep
    ) {
        self.folder = PrivateFolder(path: folder, calls: calls)
        keySource = key ?? .file("\(folder)/key")
        locks = AccountLocks(path: "\(folder)/\(Self.lockName)", patience: lockPatience, sleep: sleep)
        self.random = random
    }

    package func read(_ id: RecordID) async throws -> (bytes: [UInt8], place: String)? {
        let file = Self.file(of: id)
        let bytes = try await blocking.run { [folder] in
            try folder.exists() ? try folder.read(file) : nil
        }
        return bytes.map { ($0, folder.path(of: file)) }
    }

    package func write(_ record: NewRecord, replacing revision: String?) async throws -> Bool {
        try await change(record.id, ifRevision: revision) { folder, file in
            try folder.removeTemporaryFiles(of: Self.suffix)
            try folder.replace(file, with: record.bytes)
            return true
        }
    }

    package func tryWriting(_ id: RecordID) async throws {
        try await blocking.run { [folder] in
            let file = Self.file(of: id)
            // A record that cannot be read is replaced.
            let size = (try? folder.read(file))??.count ?? 0
            try folder.tryWriting(file, count: size + Self.growth)
        }
    }

    package func remove(_ id: RecordID, ifRevision revision: String?) async throws -> Bool {
        guard try await blocking.run({ [folder] in try folder.exists() }) else { return false }
        return try await writing { [self] in
            try await change(id, ifRevision: revision) { folder, file in
                try folder.removeTemporaryFiles(of: Self.suffix)
                return try folder.remove(file)
            }
        }
    }

    /// - Returns: `false` if the record no longer has the given revision.
    private func change(
        _ id: RecordID, ifRevision revision: String?,
        _ body: @escaping @Sendable (_ folder: PrivateFolder, _ file: String) throws -> Bool
    ) async throws -> Bool {
        try await blocking.run { [folder] in
            let file = Self.file(of: id)
            if let revision {
                guard let current = try folder.read(file), EncryptedRecord.revision(of: current) == revision else {
                    return false
                }
            }
            return try body(folder, file)
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
                    let record = try EncryptedRecord(bytes, at: path)
                    guard Self.file(of: try RecordID(record.key)) == file else {
                        throw TokenStoreError(.unreadable, "\(path) is the record of another account")
                    }
                    inventory.add(record.key, encryptedWith: record.keyID)
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

    package func withLock<Result: Sendable>(
        on id: RecordID, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await blocking.run { [folder] in try folder.create() }
        return try await locks.withLock(on: id, body)
    }

    package func encryptionKeys() async throws -> KeyRing {
        try await keySource.keysToEncrypt(in: folder.path, random: random, calls: folder.calls) {
            try await blocking.run { [folder] in try folder.names(withSuffix: Self.suffix).isEmpty }
        }
    }

    private static func file(of id: RecordID) -> String { id.text + suffix }

    /// A lock for one writer at a time in the folder, for the duration of a save.
    package func writing<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await Task { [self] in
            try await blocking.run { [folder] in try folder.create() }
            return try await locks.withStoreLock(work)
        }.value
    }
}
