import Carnet
import CarnetProtocol
import Synchronization
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

/// Runs a body many times at once and gives the outcomes.
func concurrently<Value: Sendable>(
    _ count: Int,
    _ body: @escaping @Sendable (Int) async throws -> Value
) async -> [Result<Value, any Error>] {
    await withTaskGroup(of: Result<Value, any Error>.self) { group in
        for index in 0..<count {
            group.addTask {
                do { return .success(try await body(index)) } catch { return .failure(error) }
            }
        }
        return await group.reduce(into: []) { $0.append($1) }
    }
}

/// A door that a scripted answer waits at until the test opens it.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var hasArrival = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watching: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Waits until the gate is open.
    func pass() async {
        await withCheckedContinuation { continuation in
            let (isOpen, watching) = state.withLock { state in
                state.hasArrival = true
                if !state.isOpen { state.waiting.append(continuation) }
                defer { state.watching = [] }
                return (state.isOpen, state.watching)
            }
            watching.forEach { $0.resume() }
            if isOpen { continuation.resume() }
        }
    }

    /// Waits until somebody stands at the gate.
    func arrival() async {
        await withCheckedContinuation { continuation in
            let hasArrival = state.withLock { state in
                if !state.hasArrival { state.watching.append(continuation) }
                return state.hasArrival
            }
            if hasArrival { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        waiting.forEach { $0.resume() }
    }
}

/// Lets the tasks that can run do so.
func settle() async {
    for _ in 0..<500 { await Task.yield() }
}

/// A store in memory that fails when the test says.
final class FailingStore: TokenStore {
    enum Operation: Hashable { case load, save, remove, prepareToSave }

    let inner = MemoryTokenStore()
    private let failures = Mutex<Set<Operation>>([])

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

    func remove(_ key: ConnectionKey) async throws {
        try check(.remove)
        await inner.remove(key)
    }

    func keys() async throws -> [ConnectionKey] { await inner.keys() }

    func withLock<Result: Sendable>(
        on key: ConnectionKey,
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await inner.withLock(on: key, body)
    }
}
