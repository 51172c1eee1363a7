/// A dictionary that forgets its oldest entry when it is full, so that a sandbox may run for weeks.
struct BoundedStore<Value: Sendable>: Sendable {
    private var values: [String: Value] = [:]
    private var order: [String] = []
    private let capacity: Int

    /// The keys, the latest first.
    var keys: ReversedCollection<[String]> { order.reversed() }

    /// The key that was added last.
    var latestKey: String? { order.last }

    init(capacity: Int = 10_000) { self.capacity = capacity }

    /// A key from outside that is not visible ASCII is nobody's: Swift would call some such strings equal to ASCII
    /// ones.
    subscript(key: String) -> Value? {
        get { key.isVisibleASCII ? values[key] : nil }
        set {
            if values[key] == nil, newValue != nil { order.append(key) }
            if newValue == nil { order.removeAll { $0 == key } }
            values[key] = newValue
            if order.count > capacity { values[order.removeFirst()] = nil }
        }
    }
}
