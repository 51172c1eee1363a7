import CarnetFoundation
package import CarnetProtocol

/// Keeps pending sign-ins in this process's memory.
package actor MemoryPendingStore: PendingStore {
    private let limit: Int
    private var pending: [Secret: PendingAuthorization] = [:]

    /// - Parameter limit: The maximum number of sign-ins. Beyond it, those that expire first are dropped.
    package init(limit: Int = 10_000) { self.limit = max(1, limit) }

    package var count: Int { pending.count }

    package func save(_ pending: PendingAuthorization, now: Date) {
        self.pending[pending.id] = pending
        guard self.pending.count > limit else { return }
        self.pending = self.pending.filter { $0.value.expiresAt > now }
        // A tenth at a time, so that a flood does not cause a sort at each step.
        guard self.pending.count > limit else { return }
        let surplus = self.pending.count - limit + limit / 10
        for (id, _) in self.pending.sorted(by: { $0.value.expiresAt < $1.value.expiresAt }).prefix(surplus)
        where id != pending.id { self.pending[id] = nil }
    }

    package func take(_ id: Secret, now: Date) -> PendingAuthorization? {
        guard let taken = pending.removeValue(forKey: id), taken.expiresAt > now else { return nil }
        return taken
    }
}
