import Carnet

/// Runs `exchange` and cancels it at the deadline.
///
/// - Throws: `TransportError`, `timeout`, at the deadline; `CancellationError` if the task was cancelled; errors of
/// `exchange`.
package func withDeadline<Response: Sendable>(
    _ deadline: Duration,
    origin: String,
    _ exchange: @escaping @Sendable () async throws -> Response
) async throws -> Response {
    try Task.checkCancellation()
    do {
        return try await withThrowingTaskGroup(of: Response.self) { group in
            group.addTask(operation: exchange)
            group.addTask {
                try await RunningTime().sleep(for: deadline)
                throw TransportError(.timeout, "\(origin) did not send a complete response within \(deadline)")
            }
            defer { group.cancelAll() }
            for try await response in group {
                return response
            }
            throw CancellationError()
        }
    } catch {
        // Any error of a cancelled exchange is due to the cancellation.
        try Task.checkCancellation()
        throw error
    }
}
