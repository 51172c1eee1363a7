/// Counts the steps of reading what comes from outside, so that tests can prove that they grow with the input and no
/// faster: see `Docs/decisions/linear-work.md`.
///
/// Debug builds count. In release builds `count` is empty and inlined, so it costs nothing.
package enum Work {
    #if DEBUG
        private final class Counter: Sendable {
            let steps = Lock(0)
        }

        @TaskLocal private static var counter: Counter?

        @usableFromInline static func add(_ steps: Int) { counter?.steps.withLock { $0 += steps } }
    #endif

    /// Counts steps: the iterations of a loop over input, or the elements that a search looks at.
    @inlinable package static func count(_ steps: Int = 1) {
        #if DEBUG
            add(steps)
        #endif
    }

    /// Whether this is a build that counts.
    package static var isCounting: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    /// The steps that a body takes; 0 in release builds.
    package static func steps(of body: () -> Void) -> Int {
        #if DEBUG
            let counter = Counter()
            $counter.withValue(counter, operation: body)
            return counter.steps.withLock(\.self)
        #else
            body()
            return 0
        #endif
    }
}
