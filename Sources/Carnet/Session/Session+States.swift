extension Session {
    /// The current state, and each following one, until the session object is released. A slow reader gets the newest
    /// only.
    public nonisolated var states: AsyncStream<SessionState> { stateChanges.watch() }

    /// Reports the state after an operation, unless a refresh is in progress, which will report it.
    func reportingState<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        do {
            let result = try await body()
            if refreshing == nil { stateChanges.change(to: .signedIn) }
            return result
        } catch {
            if refreshing == nil, let state = SessionState(after: error) { stateChanges.change(to: state) }
            throw error
        }
    }
}
