import Carnet
import CarnetDescriptors
import CarnetProtocol
import Testing

/// Expects an `OAuthError` of a step and a kind, and gives it back for a closer look.
@discardableResult
func expectError<Value: Sendable>(
    _ step: OAuthError.Step,
    _ kind: OAuthError.Kind,
    isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Value
) async -> OAuthError? {
    do {
        _ = try await body()
        Issue.record("no error was thrown", sourceLocation: sourceLocation)
    } catch let error as OAuthError {
        #expect(error.kind == kind, "\(error)", sourceLocation: sourceLocation)
        #expect(error.step == step, "\(error)", sourceLocation: sourceLocation)
        return error
    } catch {
        Issue.record("another error was thrown: \(error)", sourceLocation: sourceLocation)
    }
    return nil
}

/// A store in memory that fails when the test says.
final class FailingStore: TokenStore {
    enum Operation: Hashable { case load, save, remove, prepareToSave }

    let inner = MemoryTokenStore()
    private let failures = Lock<Set<Operation>>([])

    func fail(_ operation: Operation) { failures.withLock { _ = $0.insert(operation) } }
    func work() { failures.withLock { $0 = [] } }

    private func check(_ operation: Operation) throws {
        guard !failures.withLock({ $0.contains(operation) }) else {
            throw TokenStoreError(.unavailable, "the disk is full")
        }
    }

    func load(_ key: ConnectionKey) async throws -> StoredConnection? {
        try check(.load)
        return await inner.load(key)
    }

    func save(_ connection: Connection, replacing revision: String?) async throws -> String {
        try check(.save)
        return try await inner.save(connection, replacing: revision)
    }

    func prepareToSave(_ key: ConnectionKey) async throws { try check(.prepareToSave) }

    func remove(_ key: ConnectionKey, ifRevision revision: String?) async throws -> Bool {
        try check(.remove)
        return await inner.remove(key, ifRevision: revision)
    }

    func keys() async throws -> [ConnectionKey] { await inner.keys() }

    func withLock<Result: Sendable>(
        on key: ConnectionKey,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await inner.withLock(on: key, body)
    }
}
