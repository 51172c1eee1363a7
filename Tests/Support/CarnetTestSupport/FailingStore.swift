package import Carnet
import CarnetDescriptors
import CarnetFoundation
package import CarnetProtocol

/// A store in memory that counts the records that are read, and fails when the test says.
package final class FailingStore: SessionIndexedTokenStore {
    package enum Operation: CaseIterable, Sendable { case load, save, remove, keys, lock, prepareToSave }

    private struct State: Sendable {
        var failures: Set<Operation> = []
        var kind = TokenStoreError.Kind.unavailable
        var loads = 0
        var hangs = false
        var preparations = 0
    }

    package let inner: MemoryTokenStore
    private let state = Lock(State())

    package init(_ inner: MemoryTokenStore = MemoryTokenStore()) {
        self.inner = inner
    }

    package var loads: Int { state.withLock(\.loads) }
    package var preparations: Int { state.withLock(\.preparations) }

    /// Lets these operations fail from now on, or all.
    package func fail(_ operations: Operation..., as kind: TokenStoreError.Kind = .unavailable) {
        state.withLock { state in
            state.failures.formUnion(operations.isEmpty ? Operation.allCases : operations)
            state.kind = kind
        }
    }

    /// Lets everything that is read wait from now on.
    package func hang() { state.withLock { $0.hangs = true } }

    package func work() { state.withLock { ($0.failures, $0.hangs) = ([], false) } }

    private func check(_ operation: Operation) throws {
        let (fails, kind) = state.withLock { ($0.failures.contains(operation), $0.kind) }
        guard !fails else { throw TokenStoreError(kind, "the disk is full") }
    }

    package func load(_ key: ConnectionKey) async throws -> StoredConnection? {
        try check(.load)
        // As long as a database that is gone.
        if state.withLock(\.hangs) { try await Task.sleep(for: .seconds(60)) }
        state.withLock { $0.loads += 1 }
        return await inner.load(key)
    }

    package func save(_ connection: Connection, replacing revision: String?) async throws -> String {
        try check(.save)
        return try await inner.save(connection, replacing: revision)
    }

    package func prepareToSave(_ key: ConnectionKey) async throws {
        try check(.prepareToSave)
        state.withLock { $0.preparations += 1 }
    }

    package func remove(_ key: ConnectionKey, ifRevision revision: String?) async throws -> Bool {
        try check(.remove)
        return await inner.remove(key, ifRevision: revision)
    }

    package func keys() async throws -> [ConnectionKey] {
        try check(.keys)
        return await inner.keys()
    }

    package func keys(of provider: String, endedBy ended: EndedSession) async throws -> [ConnectionKey] {
        try check(.keys)
        return await inner.keys(of: provider, endedBy: ended)
    }

    package func withLock<Result: Sendable>(
        on key: ConnectionKey, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try check(.lock)
        return try await inner.withLock(on: key, body)
    }
}

/// A store in memory without an index of sessions.
package struct UnindexedStore: TokenStore {
    private let inner = MemoryTokenStore()

    package init() {}

    package func load(_ key: ConnectionKey) async -> StoredConnection? { await inner.load(key) }

    package func save(_ connection: Connection, replacing revision: String?) async throws -> String {
        try await inner.save(connection, replacing: revision)
    }

    package func remove(_ key: ConnectionKey, ifRevision revision: String?) async -> Bool {
        await inner.remove(key, ifRevision: revision)
    }

    package func keys() async -> [ConnectionKey] { await inner.keys() }

    package func withLock<Result: Sendable>(
        on key: ConnectionKey, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await inner.withLock(on: key, body)
    }
}
