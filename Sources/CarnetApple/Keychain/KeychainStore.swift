public import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetStorage
import Foundation

/// Keeps connections and pending sign-ins in the Keychain.
///
/// Items are readable after the first unlock, so that an application can refresh in the background. They stay on this
/// device: they are in no backup and in no iCloud Keychain. With an access group, the application and its extensions
/// share the items, and one process at a time refreshes an account. iOS keeps the items when the application is
/// deleted.
///
/// A record that cannot be read counts as no record, is reported, and is replaced by the next sign-in.
public final class KeychainStore: TokenStore {
    let service: String
    let accessGroup: String?
    let calls: any KeychainCalls
    let random: any RandomSource
    let clock: any WallClock
    let queues: KeyedLocks<String>
    private let onUnreadable: @Sendable (TokenStoreError) -> Void
    let blocking = BlockingCalls(label: "carnet.keychain-store")
    let leases = Lock<[RecordID: KeychainLease]>([:])

    /// - Parameter queues: Those of the process; a test has others for another process.
    package init(
        service: String, accessGroup: String?, calls: any KeychainCalls,
        random: any RandomSource = SystemRandomSource(), clock: any WallClock = SystemWallClock(),
        queues: KeyedLocks<String> = KeychainStore.queues, onUnreadable: @escaping @Sendable (TokenStoreError) -> Void
    ) {
        (self.service, self.accessGroup, self.calls, self.random) = (service, accessGroup, calls, random)
        (self.clock, self.queues, self.onUnreadable) = (clock, queues, onUnreadable)
    }

    public func load(_ key: ConnectionKey) async throws -> StoredConnection? {
        let query = try query(key)
        guard let item = try await item(query, to: "load \(key.account)") else { return nil }
        do {
            let connection = try Self.connection(in: item, of: key)
            let revision = item.revision ?? []
            if item.isOfThisDevice == false {
                // Another process may have changed the item: then it is that one's to bring up to date.
                _ = await call { [calls] in calls.update(query.of(revision), KeychainChange()) }
            }
            return StoredConnection(connection: connection, revision: revision.hexadecimal)
        } catch {
            onUnreadable(error)
            return nil
        }
    }

    public func save(_ connection: Connection, replacing revision: String?) async throws -> String {
        let query = try query(connection.key)
        let data = try Self.encode(connection)
        let new = random.bytes(count: 16)
        // A task that is cancelled with new tokens in its hands still has to save them.
        return try await Task { [self] in
            let change = KeychainChange(revision: new, data: data)
            let status: Int32
            if let revision {
                guard let old = Self.bytes(ofRevision: revision) else { throw Self.conflict }
                status = await call { [calls] in calls.update(query.of(old), change) }
                if status == KeychainStatus.itemNotFound { throw Self.conflict }
            } else {
                let item = KeychainItem(
                    service: service, account: query.account ?? "", revision: new, data: data)
                status = await call { [calls, accessGroup] in
                    calls.replace(query, by: item, change, accessGroup: accessGroup)
                }
            }
            try Self.check(status, to: "save \(connection.key.account)")
            return new.hexadecimal
        }.value
    }

    public func prepareToSave(_ key: ConnectionKey) async throws {
        _ = try await item(try query(key), to: "make room for \(key.account)")
    }

    @discardableResult
    public func remove(_ key: ConnectionKey, ifRevision revision: String?) async throws -> Bool {
        var query = try query(key)
        if let revision {
            guard let old = Self.bytes(ofRevision: revision) else { return false }
            query.revision = old
        }
        let status = await call { [calls, query] in calls.delete(query) }
        if status == KeychainStatus.itemNotFound { return false }
        try Self.check(status, to: "remove \(key.account)")
        return true
    }

    public func keys() async throws -> [ConnectionKey] {
        try await items(of: service).compactMap { item in
            guard let key = ConnectionKey(keychainAccount: item.account) else {
                onUnreadable(
                    TokenStoreError(
                        .unreadable,
                        "the Keychain has an item of the service \(service) that is not an account; it was not changed")
                )
                return nil
            }
            return key
        }
    }
}

extension KeychainStore {
    static var conflict: TokenStoreError {
        TokenStoreError(.conflict, "another process saved or removed this account first")
    }

    /// Runs calls of the Keychain where a thread may wait.
    func call(_ body: @escaping @Sendable () -> Int32) async -> Int32 {
        (try? await blocking.run(body)) ?? KeychainStatus.notAvailable
    }

    static func check(_ status: Int32, to call: String) throws(TokenStoreError) {
        guard status == KeychainStatus.success else { throw TokenStoreError(keychain: status, to: call) }
    }

    /// The item with its data; `nil` if there is none.
    func item(_ query: KeychainQuery, to call: String) async throws -> KeychainItem? {
        let (status, items) = try await blocking.run { [calls] in calls.copyMatching(query, withData: true) }
        if status == KeychainStatus.itemNotFound { return nil }
        try Self.check(status, to: call)
        return items.first
    }

    /// All items of a service, without their data.
    func items(of service: String) async throws -> [KeychainItem] {
        let query = KeychainQuery(service: service, accessGroup: accessGroup)
        let (status, items) = try await blocking.run { [calls] in calls.copyMatching(query, withData: false) }
        if status == KeychainStatus.itemNotFound { return [] }
        try Self.check(status, to: "list the accounts")
        return items
    }

    private func query(_ key: ConnectionKey) throws(TokenStoreError) -> KeychainQuery {
        KeychainQuery(service: service, account: try key.keychainAccount, accessGroup: accessGroup)
    }

    /// A record says which form it has, so that a later one is not mistaken for it.
    private struct Record: Codable {
        var form = 1
        var connection: Connection
    }

    private static func encode(_ connection: Connection) throws(TokenStoreError) -> [UInt8] {
        do {
            return Array(try JSONEncoder().encode(Record(connection: connection)))
        } catch {
            throw TokenStoreError(.unacceptable, "the account cannot be written as JSON")
        }
    }

    private static func connection(in item: KeychainItem, of key: ConnectionKey) throws(TokenStoreError) -> Connection {
        guard let data = item.data, item.revision?.isEmpty == false,
            let record = try? JSONDecoder().decode(Record.self, from: Data(data)), record.form == 1
        else {
            throw TokenStoreError(
                .unreadable,
                "the Keychain's record of \(key.account) at \(key.provider) is damaged, or another program's")
        }
        guard record.connection.key == key else {
            throw TokenStoreError(
                .unreadable, "the Keychain's record of \(key.account) at \(key.provider) is another account's")
        }
        return record.connection
    }

    private static func bytes(ofRevision text: String) -> [UInt8]? { text.isEmpty ? nil : [UInt8](hexadecimal: text) }
}

extension KeychainCalls {
    func replace(_ query: KeychainQuery, by item: KeychainItem, _ change: KeychainChange, accessGroup: String?) -> Int32
    {
        var status = KeychainStatus.duplicateItem
        // Another process may add the item, or remove it, between the two calls.
        for _ in 0..<8 where status == KeychainStatus.duplicateItem {
            status = update(query, change)
            if status == KeychainStatus.itemNotFound { status = add(item, accessGroup: accessGroup) }
        }
        return status
    }
}

extension ConnectionKey {
    private static let nameLimit = 1024

    /// Both names in hexadecimal, so that no system's idea of equal text mixes accounts up.
    ///
    /// - Throws: `TokenStoreError`, `unacceptable`.
    var keychainAccount: String {
        get throws(TokenStoreError) {
            guard provider.utf8.count <= Self.nameLimit, account.utf8.count <= Self.nameLimit else {
                throw TokenStoreError(
                    .unacceptable, "the Keychain store keeps names of at most \(Self.nameLimit) bytes")
            }
            return provider.utf8.hexadecimal + "." + account.utf8.hexadecimal
        }
    }

    init?(keychainAccount text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { [UInt8](hexadecimal: String(Substring($0))) }
        guard parts.count == 2, let provider = parts[0].flatMap({ String(utf8: $0[...]) }),
            let account = parts[1].flatMap({ String(utf8: $0[...]) })
        else { return nil }
        self.init(provider: provider, account: account)
    }
}

extension [UInt8] {
    /// `nil` if the text is not pairs of lower-case hexadecimal digits.
    fileprivate init?(hexadecimal text: String) {
        self.init(hexDigits: text)
        // Digits in upper case would make a second spelling of the same bytes.
        guard hexadecimal.isSameBytes(as: text) else { return nil }
    }
}
