import Dispatch

extension Array where Element: Sendable {
    package func concurrentMap<Result: Sendable>(_ transform: @Sendable (Element) -> Result) -> [Result] {
        concurrentMap { (part: ArraySlice<Element>) in part.map(transform) }
    }

    /// The results of a few elements at a time, on all processors.
    ///
    /// No thread keeps anything of some elements when it goes on to the next.
    ///
    /// - Parameter transform: Returns one result for each element.
    package func concurrentMap<Result: Sendable>(_ transform: @Sendable (ArraySlice<Element>) -> [Result]) -> [Result] {
        // Several at once, so that threads meet rarely; fewer at the end, so that none waits long for another.
        var ends: [Int] = []
        while case let rest = count - (ends.last ?? 0), rest > 0 {
            ends.append((ends.last ?? 0) + Swift.min(Swift.max(rest / 4, 1), 16))
        }
        guard ends.count > 1 else { return transform(self[...]) }
        let parts = Lock([[Result]](repeating: [], count: ends.count))
        DispatchQueue.concurrentPerform(iterations: ends.count) { [ends] number in
            let part = transform(self[(number == 0 ? 0 : ends[number - 1])..<ends[number]])
            parts.withLock { $0[number] = part }
        }
        return parts.withLock { $0.flatMap { $0 } }
    }
}
