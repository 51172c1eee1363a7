/// A dictionary that forgets what is over, a little at a time on average: it is gone through when it has doubled.
struct ForgetfulTable<Key: Hashable, Value> {
    private static var smallest: Int { 64 }

    private(set) var entries: [Key: Value] = [:]
    private var limit = Self.smallest

    subscript(key: Key) -> Value? {
        get { entries[key] }
        set { entries[key] = newValue }
    }

    /// Makes room for one more, if it is time to.
    mutating func forget(where isOver: (Value) -> Bool) {
        guard entries.count >= limit else { return }
        entries = entries.filter { !isOver($0.value) }
        limit = max(Self.smallest, entries.count * 2)
    }
}
