import Dispatch

/// Runs blocking calls, such as file operations, on separate threads: the threads of tasks must not block.
package struct BlockingCalls: Sendable {
    private let queue: DispatchQueue

    package init(label: String) { queue = DispatchQueue(label: label, attributes: .concurrent) }

    package func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try work() }) }
        }
    }
}
