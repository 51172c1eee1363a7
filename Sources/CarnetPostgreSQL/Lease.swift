import Carnet
import CarnetStorage
import Synchronization

/// A lock that this process has, and until when nobody else can take it, by a clock that goes on while the machine
/// sleeps.
final class Lease: Sendable {
    static let lost = TokenStoreError(.conflict, "another process has the account's lock")

    let id: RecordID
    let owner: String
    /// `nil` once somebody else has the lock.
    private let state: Mutex<ContinuousClock.Instant?>

    /// - Parameter end: Counted from before the database was asked, so that it comes no later than the database's.
    init(_ id: RecordID, owner: String, end: ContinuousClock.Instant) {
        self.id = id
        self.owner = owner
        state = Mutex(end)
    }

    /// Until when the lock is held, perhaps a moment that has passed; `nil` if it was lost.
    var end: ContinuousClock.Instant? { state.withLock { $0 } }

    /// Whether nobody else can have the lock by now.
    var isHeld: Bool { end.map { $0 > .now } ?? false }

    /// - Returns: The end, which is never brought forward.
    /// - Throws: `TokenStoreError`, `conflict`, if the lock was lost meanwhile.
    func extend(to end: ContinuousClock.Instant) throws -> ContinuousClock.Instant {
        try state.withLock { state in
            guard let old = state else { throw Self.lost }
            let new = max(old, end)
            state = new
            return new
        }
    }

    func lose() {
        state.withLock { $0 = nil }
    }
}
