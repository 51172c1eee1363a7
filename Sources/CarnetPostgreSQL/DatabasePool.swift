import CarnetFoundation

/// A limited number of connections, opened on demand and reused.
final class DatabasePool: Sendable {
    private struct Waiter {
        var ticket: Int
        var continuation: CheckedContinuation<DatabaseConnection?, any Error>
    }

    private struct State {
        var idle: [DatabaseConnection] = []
        /// The connections in use, idle, and being opened.
        var count = 0
        var waiters: [Waiter] = []
        var ticketsDrawn = 0
        /// Tickets of tasks that were cancelled before they waited.
        var cancelled: Set<Int> = []
    }

    private let limit: Int
    private let state = Lock(State())
    private let open: @Sendable () async throws -> DatabaseConnection

    init(limit: Int, open: @escaping @Sendable () async throws -> DatabaseConnection) {
        self.limit = limit
        self.open = open
    }

    /// - Parameter waiting: Whether to wait if all connections are in use.
    /// - Throws: Errors of opening a connection; `CancellationError`; errors of `body`.
    func withConnection<Result: Sendable>(
        waiting: Bool, _ body: (DatabaseConnection) async throws -> Result
    ) async throws -> Result {
        let connection = try await take(waiting: waiting)
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try await body(connection)) } catch { outcome = .failure(error) }
        give(await connection.isUsable ? connection : nil)
        return try outcome.get()
    }

    /// Fails the waiting tasks.
    func sendWaitersAway(with failure: DatabaseFailure) {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(throwing: failure) }
    }

    private func take(waiting: Bool) async throws -> DatabaseConnection {
        if let connection = try await reserve(waiting: waiting) { return connection }
        do {
            return try await open()
        } catch {
            give(nil)
            throw error
        }
    }

    /// - Returns: `nil` if the caller must open a connection.
    private func reserve(waiting: Bool) async throws -> DatabaseConnection? {
        let ticket = state.withLock { state in
            state.ticketsDrawn += 1
            return state.ticketsDrawn
        }
        defer { state.withLock { _ = $0.cancelled.remove(ticket) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Swift.Result<DatabaseConnection?, any Error>? = state.withLock { state in
                    if state.cancelled.remove(ticket) != nil { return .failure(CancellationError()) }
                    if let connection = state.idle.popLast() { return .success(connection) }
                    if state.count < limit {
                        state.count += 1
                        return .success(nil)
                    }
                    guard waiting else { return .failure(DatabaseFailure.lost("no connection was available in time")) }
                    state.waiters.append(Waiter(ticket: ticket, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter: Waiter? = state.withLock { state in
                guard let index = state.waiters.firstIndex(where: { $0.ticket == ticket }) else {
                    state.cancelled.insert(ticket)
                    return nil
                }
                return state.waiters.remove(at: index)
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Gives a connection, or the place of one that ended, to the first waiting task.
    private func give(_ connection: DatabaseConnection?) {
        let waiter: Waiter? = state.withLock { state in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
            if let connection { state.idle.append(connection) } else { state.count -= 1 }
            return nil
        }
        waiter?.continuation.resume(returning: connection)
    }
}
