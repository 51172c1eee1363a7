package import Carnet
import CarnetFoundation
package import CarnetProtocol

/// A store with encrypted records. A store reads and writes them; encryption and the public protocols are the same for each.
package protocol EncryptedStore: TokenStore, PendingStore {
    var keySource: StoreKeySource { get }
    var random: any RandomSource { get }
    var recent: RecentRecords { get }

    /// The keys to encrypt with, created if the store is empty.
    func encryptionKeys() async throws -> KeyRing
    func inventory() async throws -> StoreInventory

    /// Runs a change of the store to its end. A cancelled task with new tokens must still save them: the old ones may be
    /// invalid by then.
    func writing<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result

    /// The bytes of a record, and their place for messages.
    func read(_ id: RecordID) async throws -> (bytes: [UInt8], place: String)?
    /// - Returns: `false` if the store's record no longer has the given revision; `nil` writes unconditionally.
    func write(_ record: NewRecord, replacing revision: String?) async throws -> Bool
    func remove(_ id: RecordID, ifRevision revision: String?) async throws -> Bool
    /// Checks that there is room for a larger record.
    func tryWriting(_ id: RecordID) async throws
    func withLock<Result: Sendable>(on id: RecordID, _ body: @Sendable () async throws -> Result) async throws -> Result

    func write(_ pending: NewPending, now: Date) async throws
    /// Reads and removes a pending sign-in.
    func takePending(_ id: String) async throws -> String?
}

package struct NewRecord: Sendable {
    package let id: RecordID
    package let connection: Connection
    package let keyID: String
    package let bytes: [UInt8]

    package var key: ConnectionKey { connection.key }
    package var revision: String { EncryptedRecord.revision(of: bytes) }
    package var hashes: SessionHashes { SessionHashes(connection) }
}

package struct NewPending: Sendable {
    package let id: String
    package let expiresAt: Date
    package let text: String
}

extension EncryptedStore {
    package func writing<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result { try await Task(operation: work).value }

    public func load(_ key: ConnectionKey) async throws -> StoredConnection? {
        let id = try RecordID(key)
        guard let (bytes, place) = try await read(id) else {
            recent.forget(id)
            return nil
        }
        if let stored = recent.stored(id, as: bytes) { return stored }
        let record = try EncryptedRecord(bytes, at: place)
        let connection = try record.decrypt(of: key, with: try await keySource.keysToDecrypt(place), at: place)
        let stored = StoredConnection(connection: connection, revision: EncryptedRecord.revision(of: bytes))
        recent.keep(stored, id, as: bytes)
        return stored
    }

    public func save(_ connection: Connection, replacing revision: String?) async throws -> String {
        let id = try RecordID(connection.key)
        return try await writing { [self] in
            let keys = try await encryptionKeys()
            let bytes = try EncryptedRecord.encrypt(connection, with: keys, nonce: random.bytes(count: 12))
            let record = NewRecord(id: id, connection: connection, keyID: keys.first.id, bytes: bytes)
            guard try await write(record, replacing: revision) else {
                throw TokenStoreError(.conflict, "another process saved or removed this account first")
            }
            return record.revision
        }
    }

    public func prepareToSave(_ key: ConnectionKey) async throws {
        let id = try RecordID(key)
        try await writing { [self] in
            _ = try await encryptionKeys()
            try await tryWriting(id)
        }
    }

    @discardableResult
    public func remove(_ key: ConnectionKey, ifRevision revision: String?) async throws -> Bool {
        let id = try RecordID(key)
        recent.forget(id)
        return try await remove(id, ifRevision: revision)
    }

    public func keys() async throws -> [ConnectionKey] { try await inventory().accounts }

    public func withLock<Result: Sendable>(
        on key: ConnectionKey, _ body: @Sendable () async throws -> Result
    ) async throws -> Result { try await withLock(on: RecordID(key), body) }

    public func save(_ pending: PendingAuthorization, now: Date) async throws {
        try await writing { [self] in
            let text = try pending.encryptedForStore(with: try await encryptionKeys(), random: random)
            let new = NewPending(id: pending.storageID, expiresAt: pending.expiresAt, text: text)
            try await write(new, now: now)
        }
    }

    public func take(_ id: Secret, now: Date) async throws -> PendingAuthorization? {
        guard let text = try await takePending(PendingAuthorization.storageID(id)) else { return nil }
        let keys = try await keySource.keysToDecrypt("the pending sign-in")
        return try PendingAuthorization.decrypted(text, with: keys, now: now)
    }
}

/// A store in a database, with an index of sessions and a table of used tokens.
package protocol DatabaseStore: EncryptedStore, SessionIndexedTokenStore, UsedTokenStore {
    /// The accounts with these hashes, and those of older records without hashes.
    func accounts(at provider: String, _ hashes: SessionHashes) async throws -> [ConnectionKey]
    /// - Returns: Whether the token was unused.
    func use(_ token: UsedTokenID, until end: Date, now: Date) async throws -> Bool
    func forget(_ token: UsedTokenID) async throws
}

extension DatabaseStore {
    package func keys(of provider: String, endedBy ended: EndedSession) async throws -> [ConnectionKey] {
        try await keys(among: accounts(at: provider, SessionHashes(ended)), endedBy: ended)
    }

    public func use(_ id: String, until end: Date, now: Date) async throws -> Bool {
        try await writing { [self] in try await use(UsedTokenID(id), until: end, now: now) }
    }

    public func forget(_ id: String) async throws { try await writing { [self] in try await forget(UsedTokenID(id)) } }
}
