import CarnetDescriptors
import CarnetFoundation
import Dispatch

/// Runs every job of a task on the thread that waits for the task, in order: the number of instructions does not depend
/// on how a system schedules threads.
final class MainThreadExecutor: TaskExecutor {
    private let jobs = Lock<[UnownedJob]>([])
    /// Counts the jobs. The thread sleeps while another thread works for the task, so that it counts no instructions.
    private let waiting = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        waiting.signal()
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
            waiting.wait()
            jobs.withLock { $0.removeFirst() }.runSynchronously(on: asUnownedTaskExecutor())
            if let outcome = outcome.withLock({ $0 }) { return try outcome.get() }
        }
    }
}
