import Carnet
import CarnetDescriptors
import CarnetTesting

/// A store in memory that counts the records that are opened, and is away when the test says.
final class CountingStore: TokenStore {
    private struct State {
        var loads = 0
        var isDown = false
        var isIndexed = false
    }

    private let inner = MemoryTokenStore()
    private let state = Lock(State())

    var loads: Int { state.withLock(\.loads) }

    var isDown: Bool {
        get { state.withLock(\.isDown) }
        set { state.withLock { $0.isDown = newValue } }
    }

    /// Whether it says that it has an index of sessions; it has one.
    var isIndexed: Bool {
        get { state.withLock(\.isIndexed) }
        set { state.withLock { $0.isIndexed = newValue } }
    }

    var hasSessionIndex: Bool { isIndexed }

    private func check() throws {
        if isDown { throw TokenStoreError(.unavailable, "the store is away") }
    }

    func load(_ key: ConnectionKey) async throws -> StoredConnection? {
        try check()
        state.withLock { $0.loads += 1 }
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
        return try await inner.keys(of: provider, endedBy: ended)
    }

    func withLock<Result: Sendable>(
        on key: ConnectionKey, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try check()
        return try await inner.withLock(on: key, body)
    }
}
