import Dispatch

extension Array where Element: Sendable {
    /// The same as `map`, on all processors.
    package func concurrentMap<Result: Sendable>(_ transform: @Sendable (Element) -> Result) -> [Result] {
        concurrentMap { (part: ArraySlice<Element>) in part.map(transform) }
    }

    /// The results of a few elements at a time, on all processors.
    ///
    /// No thread keeps anything of some elements when it goes on to the next.
    ///
    /// - Parameter transform: Returns one result for each element.
    package func concurrentMap<Result: Sendable>(
        _ transform: @Sendable (ArraySlice<Element>) -> [Result]
    ) -> [Result] {
        // Several at once, so that threads meet rarely; few, so that none waits long for another at the end.
        let width = Swift.min(16, count / 16 + 1)
        guard count > width else { return transform(self[...]) }
        let parts = Lock([[Result]](repeating: [], count: (count + width - 1) / width))
        DispatchQueue.concurrentPerform(iterations: (count + width - 1) / width) { number in
            let part = transform(self[(number * width)..<Swift.min((number + 1) * width, count)])
            parts.withLock { $0[number] = part }
        }
        return parts.withLock { $0.flatMap { $0 } }
    }
}
