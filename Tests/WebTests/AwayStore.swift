import CarnetDescriptors
import CarnetProtocol
import CarnetWeb

/// Whether a store can be reached.
final class Availability: Sendable {
    private let state = Lock(false)

    var isAway: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// A store in memory that cannot be reached when the test says.
struct AwayStore: SessionIndexedTokenStore {
    let inner: MemoryTokenStore
    let availability: Availability

    private func check() throws {
        if availability.isAway { throw TokenStoreError(.unavailable, "the database is away") }
    }

    func load(_ key: ConnectionKey) async throws -> StoredConnection? {
        try check()
        return await inner.load(key)
    }

    func save(_ connection: Connection, replacing revision: String?) async throws -> String {
        try check()
        return try await inner.save(connection, replacing: revision)
    }

    func remove(_ key: ConnectionKey, ifRevision revision: String?) async throws -> Bool {
        try check()
        return await inner.remove(key, ifRevision: revision)
    }

    func keys() async throws -> [ConnectionKey] {
        try check()
        return await inner.keys()
    }

    func keys(of provider: String, endedBy ended: EndedSession) async throws -> [ConnectionKey] {
        try check()
        return await inner.keys(of: provider, endedBy: ended)
    }

    func withLock<Result: Sendable>(
        on key: ConnectionKey, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try check()
        return try await inner.withLock(on: key, body)
    }
}
