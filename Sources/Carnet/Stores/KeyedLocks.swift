import CarnetDescriptors
import CarnetFoundation

/// A lock for each key, for the tasks of this process, first come first served.
package final class KeyedLocks<Key: Hashable & Sendable>: Sendable {
    private struct Waiter {
        var ticket: Int
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        /// The locked keys, each with its waiting tasks.
        var queues: [Key: [Waiter]] = [:]
        var ticketsDrawn = 0
        /// Tickets of tasks that were cancelled before they waited.
        var cancelled: Set<Int> = []
    }

    private let state = Lock(State())

    package init() {}

    /// Inlined, so that the compiler specializes the lock for the caller's key.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits; errors of `body`.
    @inline(__always)
    package func withLock<Result: Sendable>(on key: Key, _ body: () async throws -> Result) async throws -> Result {
        try await acquire(key)
        defer { release(key) }
        return try await body()
    }

    private func acquire(_ key: Key) async throws {
        try Task.checkCancellation()
        let isFree = state.withLock { state in
            // One lookup, where nobody has the lock.
            guard let queue = state.queues.updateValue([], forKey: key) else { return true }
            state.queues[key] = queue
            return false
        }
        if !isFree { try await wait(for: key) }
    }

    private func wait(for key: Key) async throws {
        let ticket = state.withLock { state in
            state.ticketsDrawn += 1
            return state.ticketsDrawn
        }
        // A cancellation after the lock was acquired leaves a ticket too.
        defer { state.withLock { _ = $0.cancelled.remove(ticket) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Swift.Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(ticket) != nil { return .failure(CancellationError()) }
                    guard state.queues[key] != nil else {
                        state.queues[key] = []
                        return .success(())
                    }
                    state.queues[key]?.append(Waiter(ticket: ticket, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter: Waiter? = state.withLock { state in
                guard let index = state.queues[key]?.firstIndex(where: { $0.ticket == ticket }) else {
                    state.cancelled.insert(ticket)
                    return nil
                }
                return state.queues[key]?.remove(at: index)
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private func release(_ key: Key) {
        let next: Waiter? = state.withLock { state in
            guard let index = state.queues.index(forKey: key) else { return nil }
            guard state.queues.values[index].isEmpty else { return state.queues.values[index].removeFirst() }
            state.queues.remove(at: index)
            return nil
        }
        next?.continuation.resume()
    }
}
