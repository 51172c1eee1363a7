import CarnetDescriptors
import CarnetFoundation

/// Keeps the ids of used tokens in this process's memory.
package actor MemoryUsedTokenStore: UsedTokenStore {
    private let limit: Int
    private var ends: [ByteKey: Date] = [:]

    /// - Parameter limit: The maximum number of ids. Only signed tokens are recorded. Beyond the limit, those that
    /// expire first are dropped.
    package init(limit: Int = 10_000) {
        self.limit = max(1, limit)
    }

    package func use(_ id: String, until end: Date, now: Date) -> Bool {
        let id = ByteKey(id)
        guard ends[id].map({ $0 <= now }) ?? true else { return false }
        ends[id] = end
        guard ends.count > limit else { return true }
        ends = ends.filter { $0.value > now }
        // A tenth at a time, so that a flood does not cause a sort at each step.
        guard ends.count > limit else { return true }
        let surplus = ends.count - limit + limit / 10
        for (old, _) in ends.sorted(by: { $0.value < $1.value }).prefix(surplus) where old != id { ends[old] = nil }
        return true
    }

    package func forget(_ id: String) {
        ends[ByteKey(id)] = nil
    }
}
