import CarnetDescriptors

/// Runs every job of a task on the thread that waits for the task, in order: the number of instructions does not depend
/// on how a system schedules threads.
final class MainThreadExecutor: TaskExecutor {
    private let jobs = Lock<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs a body to its end.
    ///
    /// - Throws: What the body throws.
    func run(_ body: @escaping @Sendable () async throws -> Void) throws {
        let outcome = Lock<Result<Void, any Error>?>(nil)
        let task = Task(executorPreference: self) {
            let result: Result<Void, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
        }
        defer { task.cancel() }
        while true {
            let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            job?.runSynchronously(on: asUnownedTaskExecutor())
            if let outcome = outcome.withLock({ $0 }) { return try outcome.get() }
        }
    }
}
