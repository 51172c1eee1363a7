import CarnetFoundation
import CarnetWeb

/// Whether the stores work. Anybody may ask, and a look at them costs much, so everybody gets the result of one look for a while.
final class Readiness: Sendable {
    private struct Look {
        let task: Task<[String], Never>
        /// `nil` while it runs.
        var endedAt: Date?
    }

    /// In seconds.
    private static let validity: TimeInterval = 2

    private let last = Lock<Look?>(nil)
    private let reported = Lock<[String]>([])

    func problems(of web: WebSignIn) async -> [String] {
        let task = last.withLock { last in
            if let last, last.endedAt.map({ abs(web.clock.now.timeIntervalSince($0)) < Self.validity }) ?? true {
                return last.task
            }
            let task = Task { [self] in
                let problems = await web.healthProblems()
                let now = web.clock.now
                self.last.withLock { $0?.endedAt = now }
                return problems
            }
            last = Look(task: task)
            return task
        }
        return await task.value
    }

    /// The problems to report: all, if they differ from those before.
    func news(in problems: [String]) -> [String] {
        reported.withLock { reported in
            defer { reported = problems }
            return reported == problems ? [] : problems
        }
    }
}
