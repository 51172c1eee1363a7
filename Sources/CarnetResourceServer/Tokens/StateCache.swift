import CarnetFoundation
import CarnetProtocol

/// The validated states of opaque tokens, by the hash of the token. Concurrent requests with one token share one request
/// to the provider.
final class StateCache: Sendable {
    /// What is known about a token: an access token, or the reason why it is not accepted.
    typealias State = Result<AccessToken, OAuthError>

    private struct Entry {
        let state: State
        let since: Date
        let until: Date
    }

    private struct Table {
        var entries: [[UInt8]: Entry] = [:]
        var requests: [[UInt8]: (id: Int, task: Task<State, any Error>)] = [:]
        var lastRequest = 0
    }

    private let table = Lock(Table())
    private let lifetime: TimeInterval
    private let limit: Int

    /// - Parameters:
    ///   - lifetime: In seconds. A revoked token is accepted at most so long.
    ///   - limit: The maximum number of tokens. Beyond it, the states that expire first are dropped.
    init(lifetime: TimeInterval, limit: Int = 10_000) {
        self.lifetime = lifetime
        self.limit = max(1, limit)
    }

    /// - Throws: Errors of `request` that say nothing about the token; these are not remembered.
    func state(
        of token: Secret, at now: Date, _ request: @escaping @Sendable () async throws -> State
    ) async throws -> State {
        let key = token.fingerprint
        let (known, task) = table.withLock { table -> (State?, Task<State, any Error>?) in
            // A clock that was set back must not extend its life.
            if let entry = table.entries[key], entry.since <= now, now < entry.until { return (entry.state, nil) }
            if let running = table.requests[key] { return (nil, running.task) }
            table.lastRequest += 1
            let id = table.lastRequest
            let task = Task { [self] in
                defer { self.table.withLock { if $0.requests[key]?.id == id { $0.requests[key] = nil } } }
                let state = try await request()
                self.keep(state, of: key, requestedBy: id, at: now)
                return state
            }
            table.requests[key] = (id, task)
            return (nil, task)
        }
        if let known { return known }
        guard let task else { return .failure(OAuthError(.accessToken, .unauthorized, "the token has no state")) }
        return try await task.value
    }

    /// Forgets a token, because it was revoked. The response to a request in progress is not kept either.
    func forget(_ token: Secret) {
        let key = token.fingerprint
        table.withLock { table in
            table.entries[key] = nil
            table.requests[key] = nil
        }
    }

    private func keep(_ state: State, of key: [UInt8], requestedBy id: Int, at now: Date) {
        var end = now + lifetime
        if case .success(let token) = state, let expiry = token.expiresAt { end = min(end, expiry) }
        table.withLock { table in
            guard table.requests[key]?.id == id, now < end else { return }
            table.entries[key] = Entry(state: state, since: now, until: end)
            guard table.entries.count > limit else { return }
            table.entries = table.entries.filter { $0.value.until > now }
            guard table.entries.count > limit else { return }
            // A tenth at a time, so that a flood does not cause a sort at each step.
            let surplus = table.entries.count - limit + limit / 10
            for (old, _) in table.entries.sorted(by: { $0.value.until < $1.value.until }).prefix(surplus) {
                table.entries[old] = nil
            }
        }
    }

    /// How many states are kept.
    var count: Int { table.withLock(\.entries.count) }
}
