/// A dictionary that drops expired entries. It is searched for them when its size has doubled, so that the average
/// cost is constant.
struct ForgetfulTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private static var smallest: Int { 64 }

    private(set) var entries: [Key: Value] = [:]
    private var limit = Self.smallest

    subscript(key: Key) -> Value? {
        get { entries[key] }
        set { entries[key] = newValue }
    }

    /// Drops expired entries before an insertion, if the size has doubled.
    mutating func forget(where isOver: (Value) -> Bool) {
        guard entries.count >= limit else { return }
        entries = entries.filter { !isOver($0.value) }
        limit = max(Self.smallest, entries.count * 2)
    }
}
