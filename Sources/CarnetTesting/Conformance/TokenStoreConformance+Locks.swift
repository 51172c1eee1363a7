import Carnet
import CarnetDescriptors
import CarnetFoundation

extension TokenStoreConformance {
    func lockExcludes(_ stores: Stores, _ context: CheckContext) async throws {
        let key = ConnectionKey(provider: "acme", account: "one")
        let room = Room()
        try await withThrowingTaskGroup { group in
            for number in 0..<8 {
                let store = number.isMultiple(of: 2) ? stores.first : stores.second
                group.addTask {
                    try await store.withLock(on: key) {
                        let others = room.enter()
                        for _ in 0..<10 { await Task.yield() }
                        room.leave()
                        try context.require(others == 0, "two callers held the lock of one key at the same time")
                    }
                }
            }
            try await group.waitForAll()
        }
        try context.require(room.entries == 8, "not every caller got the lock")
    }

    func lockIsReleasedAfterError(_ stores: Stores, _ context: CheckContext) async throws {
        struct BodyError: Error {}
        let key = ConnectionKey(provider: "acme", account: "one")
        let error = try await context.requireError("an error that was thrown inside the lock was lost") {
            try await stores.first.withLock(on: key) { throw BodyError() }
        }
        try context.require(error is BodyError, "an error that was thrown inside the lock became \(error)")
        let result = try await stores.second.withLock(on: key) { 7 }
        try context.require(result == 7, "the result of the function inside the lock was lost")
    }

    func waitForLockIsCancellable(_ stores: Stores, _ context: CheckContext) async throws {
        let key = ConnectionKey(provider: "acme", account: "one")
        let (held, holdsNow) = AsyncStream<Void>.makeStream()
        let (gate, openGate) = AsyncStream<Void>.makeStream()
        let holder = Task {
            try await stores.first.withLock(on: key) {
                holdsNow.finish()
                for await _ in gate {}
            }
        }
        for await _ in held {}
        let waiter = Task { try await stores.second.withLock(on: key) {} }
        waiter.cancel()
        let outcome = await waiter.result
        openGate.finish()
        try await holder.value
        let error = try await context.requireError("a cancelled caller got the lock") { try outcome.get() }
        try context.require(error is CancellationError, "a cancelled caller that waited for a lock got \(error)")
        try await stores.second.withLock(on: key) {}
    }

    func lockIsHeldForAsLongAsAsked(_ stores: Stores, _ context: CheckContext) async throws {
        let key = ConnectionKey(provider: "acme", account: "one")
        for duration in [Duration.seconds(1), .seconds(600)] {
            let asked = ContinuousClock.now
            let end = try await stores.first.withLock(on: key) {
                try await stores.first.holdLock(on: key, for: duration)
            }
            try context.require(
                end.map { $0 - asked >= duration } ?? true, "holdLock does not ensure the requested \(duration)")
        }
        try await stores.second.withLock(on: key) {}
    }
}

/// Counts who is inside.
private final class Room: Sendable {
    private let state = Lock((inside: 0, entries: 0))

    var entries: Int { state.withLock(\.entries) }

    /// - Returns: How many were inside before.
    func enter() -> Int {
        state.withLock { state in
            state.inside += 1
            state.entries += 1
            return state.inside - 1
        }
    }

    func leave() { state.withLock { $0.inside -= 1 } }
}
