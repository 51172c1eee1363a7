import CarnetDescriptors
import CarnetFoundation

/// Keeps the ids of used tokens in this process's memory.
package actor MemoryUsedTokenStore: UsedTokenStore {
    private let limit: Int
    private var ends: [ByteKey: Date] = [:]

    private let isOfClients: Bool

    /// - Parameters:
    ///   - limit: The maximum number of ids. Beyond the limit, those that expire first are dropped.
    ///   - isOfClients: Whether clients sign the tokens, and not a provider. A client can make any number, and would have
    ///     another one's id dropped. Then no id is dropped before its end, and a full store accepts no other.
    package init(limit: Int = 10_000, isOfClients: Bool = false) {
        self.limit = max(1, limit)
        self.isOfClients = isOfClients
    }

    /// A memory of DPoP proofs, which clients sign.
    package static func ofProofs() -> MemoryUsedTokenStore { MemoryUsedTokenStore(limit: 100_000, isOfClients: true) }

    /// - Throws: `TokenStoreError` if the store is full.
    package func use(_ id: String, until end: Date, now: Date) throws(TokenStoreError) -> Bool {
        let id = ByteKey(id)
        guard ends[id].map({ $0 <= now }) ?? true else { return false }
        if isOfClients, ends.count >= limit {
            ends = ends.filter { $0.value > now }
            guard ends.count < limit else { throw TokenStoreError(.unavailable, "too many used tokens are remembered") }
        }
        ends[id] = end
        guard ends.count > limit else { return true }
        ends = ends.filter { $0.value > now }
        // A tenth at a time, so that a flood does not cause a sort at each step.
        guard ends.count > limit else { return true }
        let surplus = ends.count - limit + limit / 10
        for (old, _) in ends.sorted(by: { $0.value < $1.value }).prefix(surplus) where old != id { ends[old] = nil }
        return true
    }

    package func forget(_ id: String) { ends[ByteKey(id)] = nil }
}
