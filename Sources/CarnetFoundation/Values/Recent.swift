/// The values that were used last, up to a total size. When what was used fills half of it, what was not used since the
/// half before is dropped: each step is constant, and no clock is needed.
package struct Recent<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let value: Value
        let size: Int
    }

    private let half: Int
    private var newer: [Key: Entry] = [:]
    private var older: [Key: Entry] = [:]
    /// Of `newer`.
    private var size = 0

    /// - Parameter limit: The total size, in the unit of `keep(_:for:size:)`.
    package init(limit: Int) { half = limit / 2 }

    /// The value, which is then used.
    package mutating func value(of key: Key) -> Value? {
        if let entry = newer[key] { return entry.value }
        guard let entry = older[key] else { return nil }
        keep(entry.value, for: key, size: entry.size)
        return entry.value
    }

    /// Keeps a value instead of the one before, unless it fills half of the size alone.
    package mutating func keep(_ value: Value, for key: Key, size: Int = 1) {
        forget(key)
        guard size <= half else { return }
        if self.size + size > half {
            older = newer
            newer = [:]
            self.size = 0
        }
        newer[key] = Entry(value: value, size: size)
        self.size += size
    }

    package mutating func forget(_ key: Key) {
        older[key] = nil
        if let entry = newer.removeValue(forKey: key) { size -= entry.size }
    }

    /// How many values are kept.
    package var count: Int { newer.count + older.count }
}
