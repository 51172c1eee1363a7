import CarnetDescriptors
package import CarnetProtocol

/// Keeps connections in this process's memory, for tests and for hosts that sign in again at each start.
package actor MemoryTokenStore: SessionIndexedTokenStore {
    private var records: [ConnectionKey: StoredConnection] = [:]
    private var sessions = SessionIndex()
    private var savedRecords = 0
    private let locks = KeyedLocks<ConnectionKey>()

    package init() {}

    package func load(_ key: ConnectionKey) -> StoredConnection? {
        records[key]
    }

    package func save(_ connection: Connection, replacing revision: String?) throws -> String {
        if let revision, records[connection.key]?.revision != revision {
            throw TokenStoreError(.conflict, "another writer saved this account first")
        }
        savedRecords += 1
        let newRevision = String(savedRecords)
        if let old = records[connection.key] { sessions.remove(old.connection) }
        sessions.add(connection)
        records[connection.key] = StoredConnection(connection: connection, revision: newRevision)
        return newRevision
    }

    @discardableResult
    package func remove(_ key: ConnectionKey, ifRevision revision: String?) -> Bool {
        guard let old = records[key], revision == nil || old.revision == revision else { return false }
        records[key] = nil
        sessions.remove(old.connection)
        return true
    }

    package func keys() -> [ConnectionKey] {
        records.keys.sorted { ($0.provider, $0.account) < ($1.provider, $1.account) }
    }

    package func keys(of provider: String, endedBy ended: EndedSession) -> [ConnectionKey] {
        sessions.candidates(for: ended).filter { key in
            key.provider.isSameBytes(as: provider) && records[key]?.connection.isOver(by: ended) == true
        }
    }

    nonisolated public func withLock<Result: Sendable>(
        on key: ConnectionKey,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await locks.withLock(on: key, body)
    }
}
