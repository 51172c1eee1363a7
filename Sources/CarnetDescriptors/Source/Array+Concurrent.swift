import Dispatch

extension Array where Element: Sendable {
    /// The same as `map`, on all processors.
    ///
    /// As many elements as there are processors are looked at at once, and no thread keeps anything of one when it goes
    /// on to the next.
    package func concurrentMap<Result: Sendable>(_ transform: @Sendable (Element) -> Result) -> [Result] {
        // Several at once, so that threads meet rarely; few, so that none waits long for another at the end.
        let width = Swift.min(16, count / 16 + 1)
        guard count > width else { return map(transform) }
        let parts = Lock([[Result]](repeating: [], count: (count + width - 1) / width))
        DispatchQueue.concurrentPerform(iterations: (count + width - 1) / width) { number in
            let part = self[(number * width)..<Swift.min((number + 1) * width, count)].map(transform)
            parts.withLock { $0[number] = part }
        }
        return parts.withLock { $0.flatMap { $0 } }
    }
}
