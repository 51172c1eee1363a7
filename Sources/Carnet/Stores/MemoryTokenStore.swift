import CarnetDescriptors
import CarnetFoundation
package import CarnetProtocol

/// Keeps connections in this process's memory, for tests and for hosts that sign in again at each start.
package final class MemoryTokenStore: SessionIndexedTokenStore {
    private struct State {
        var records: [ConnectionKey: StoredConnection] = [:]
        var sessions = SessionIndex()
        var savedRecords = 0
    }

    private let state = Lock(State())
    private let locks = KeyedLocks<ConnectionKey>()

    package init() {}

    package func load(_ key: ConnectionKey) async -> StoredConnection? { state.withLock { $0.records[key] } }

    package func save(_ connection: Connection, replacing revision: String?) async throws -> String {
        try state.withLock { state in
            state.savedRecords += 1
            let new = StoredConnection(connection: connection, revision: String(state.savedRecords))
            let index = state.records.index(forKey: connection.key)
            let old = index.map { state.records.values[$0] }
            if let revision, old?.revision != revision {
                throw TokenStoreError(.conflict, "another writer saved this account first")
            }
            state.sessions.replace(old?.connection, by: connection)
            if let index { state.records.values[index] = new } else { state.records[connection.key] = new }
            return new.revision
        }
    }

    @discardableResult
    package func remove(_ key: ConnectionKey, ifRevision revision: String?) async -> Bool {
        state.withLock { state in
            guard let old = state.records[key], revision == nil || old.revision == revision else { return false }
            state.records[key] = nil
            state.sessions.replace(old.connection, by: nil)
            return true
        }
    }

    package func keys() async -> [ConnectionKey] {
        state.withLock { $0.records.keys }.sorted { ($0.provider, $0.account) < ($1.provider, $1.account) }
    }

    package func keys(of provider: String, endedBy ended: EndedSession) async -> [ConnectionKey] {
        state.withLock { state in
            state.sessions.candidates(for: ended).filter { key in
                key.provider.isSameBytes(as: provider)
                    && state.records[key]?.connection.isOver(by: ended) == true
            }
        }
    }

    public func withLock<Result: Sendable>(
        on key: ConnectionKey,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result { try await locks.withLock(on: key, body) }
}
