import Carnet
import CarnetFoundation
import CarnetStorage

/// A lock that this process holds, and the time until which nobody else can take it, by a clock that continues while
/// the machine sleeps.
final class Lease: Sendable {
    static let lost = TokenStoreError(.conflict, "another process has the account's lock")

    let id: RecordID
    let owner: String
    /// `nil` once another process has the lock.
    private let state: Lock<ContinuousClock.Instant?>

    /// - Parameter end: Counted from before the statement, so that it is not later than the database's.
    init(_ id: RecordID, owner: String, end: ContinuousClock.Instant) {
        self.id = id
        self.owner = owner
        state = Lock(end)
    }

    /// The time until which the lock is held, possibly in the past; `nil` if it was lost.
    var end: ContinuousClock.Instant? { state.withLock { $0 } }

    /// Whether no other process can have the lock by now.
    var isHeld: Bool { end.map { $0 > .now } ?? false }

    /// - Returns: The end, which never moves earlier.
    /// - Throws: `TokenStoreError`, `conflict`, if the lock was lost meanwhile.
    func extend(to end: ContinuousClock.Instant) throws -> ContinuousClock.Instant {
        try state.withLock { state in
            guard let old = state else { throw Self.lost }
            let new = max(old, end)
            state = new
            return new
        }
    }

    func lose() { state.withLock { $0 = nil } }
}
