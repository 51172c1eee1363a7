import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetTesting

/// A store in memory that counts the records that are opened, and is away when the test says.
final class CountingStore: SessionIndexedTokenStore {
    private struct State {
        var loads = 0
        var isDown = false
    }

    private let inner = MemoryTokenStore()
    private let state = Lock(State())

    var loads: Int { state.withLock(\.loads) }

    var isDown: Bool {
        get { state.withLock(\.isDown) }
        set { state.withLock { $0.isDown = newValue } }
    }

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
        return await inner.keys(of: provider, endedBy: ended)
    }

    func withLock<Result: Sendable>(
        on key: ConnectionKey, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try check()
        return try await inner.withLock(on: key, body)
    }
}

/// A store in memory without an index of sessions.
struct UnindexedStore: TokenStore {
    private let inner = MemoryTokenStore()

    func load(_ key: ConnectionKey) async -> StoredConnection? { await inner.load(key) }

    func save(_ connection: Connection, replacing revision: String?) async throws -> String {
        try await inner.save(connection, replacing: revision)
    }

    func remove(_ key: ConnectionKey, ifRevision revision: String?) async -> Bool {
        await inner.remove(key, ifRevision: revision)
    }

    func keys() async -> [ConnectionKey] { await inner.keys() }

    func withLock<Result: Sendable>(
        on key: ConnectionKey, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await inner.withLock(on: key, body)
    }
}
