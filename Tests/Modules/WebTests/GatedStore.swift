import CarnetTesting
import CarnetWeb
import Foundation

/// Holds back what it gives until it is opened.
final class GatedStore: PendingStore {
    let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation
    private let opening: AsyncStream<Void>
    private let opener: AsyncStream<Void>.Continuation
    private let inner = MemoryPendingStore()

    init() {
        (arrivals, arrival) = AsyncStream.makeStream()
        (opening, opener) = AsyncStream.makeStream()
    }

    func open() { opener.finish() }

    func save(_ pending: PendingAuthorization, now: Date) async throws {
        try await inner.save(pending, now: now)
    }

    func take(_ state: Secret, now: Date) async throws -> PendingAuthorization? {
        arrival.yield()
        for await _ in opening {}
        return try await inner.take(state, now: now)
    }
}
