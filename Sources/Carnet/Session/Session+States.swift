extension Session {
    /// The state now, and each that follows, until the session object goes. Who is slow sees the newest.
    public nonisolated var states: AsyncStream<SessionState> { stateChanges.watch() }

    /// Says how an operation left the session, unless a renewal is under way, which will say it.
    func tellingState<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
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
