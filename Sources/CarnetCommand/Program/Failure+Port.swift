extension Failure {
    /// Runs a server, and says in one way that its port cannot be had.
    ///
    /// - Throws: `Failure`; `CancellationError` once the server has ended because its task was cancelled.
    static func explainingPort(_ port: Int, serve: () async throws -> Void) async throws {
        do {
            try await serve()
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            try Task.checkCancellation()
            throw Failure(.broken, "port \(port) of 127.0.0.1 cannot be opened: it is in use or not allowed")
        }
    }
}
