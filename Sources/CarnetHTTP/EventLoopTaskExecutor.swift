import NIOCore
import NIOPosix

extension Task where Failure == any Error {
    /// Starts a task that runs on the thread of an event loop: a request that waits for its connection there needs no other
    /// thread, which is a quarter of its processor time.
    static func onEventLoop(_ operation: @escaping @Sendable () async throws -> Success) -> Self {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
            return Task(operation: operation)
        }
        return Task(executorPreference: EventLoopTaskExecutor.next, operation: operation)
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private final class EventLoopTaskExecutor: TaskExecutor {
    private static let all = MultiThreadedEventLoopGroup.singleton.makeIterator().map { EventLoopTaskExecutor($0) }

    private let loop: any EventLoop

    private init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// The executor of the loop that the group chooses: the current one, on an event loop's thread.
    static var next: EventLoopTaskExecutor? {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        return all.first { $0.loop === loop }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
