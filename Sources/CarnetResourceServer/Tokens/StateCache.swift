import CarnetFoundation
import CarnetProtocol

/// The validated states of access tokens, by the hash of the token. Concurrent requests with one opaque token share one
/// request to the provider.
final class StateCache: Sendable {
    /// What is known about a token: that it is accepted, or the reason why it is not.
    typealias State = Result<ValidatedToken, OAuthError>

    private struct Entry {
        let state: State
        let since: Date
        let until: Date
    }

    private struct Table {
        var entries: [[UInt8]: Entry] = [:]
        var requests: [[UInt8]: (id: Int, task: Task<State, any Error>)] = [:]
        var lastRequest = 0

        func state(of key: [UInt8], at now: Date) -> State? {
            // A clock that was set back must not extend its life.
            guard let entry = entries[key], entry.since <= now, now < entry.until else { return nil }
            return entry.state
        }
    }

    private let table = Lock(Table())
    /// In seconds. A revoked token is accepted at most so long.
    private let lifetime: TimeInterval
    /// The maximum number of tokens. Beyond it, the states that expire first are dropped.
    private static let limit = 10_000
    /// The tokens that were accepted, also when their state is too old.
    private let formerlyAccepted = Lock(Recent<[UInt8], Bool>(limit: 20_000))
    private let unknown = UnknownTokens()

    init(lifetime: TimeInterval) { self.lifetime = lifetime }

    /// A token that is accepted; if it is not known, it is validated. That a token is not accepted is not remembered: anybody
    /// can make such tokens.
    func accepted(
        _ token: Secret, at now: Date, _ validate: () async throws -> ValidatedToken
    ) async throws -> ValidatedToken {
        guard lifetime > 0 else { return try await validate() }
        let key = token.fingerprint
        if let state = table.withLock({ $0.state(of: key, at: now) }) { return try state.get() }
        let validated = try await validate()
        table.withLock { keep(.success(validated), of: key, at: now, in: &$0) }
        return validated
    }

    /// The state of an opaque token, which is requested if it is not known. A token that was never accepted waits for a place.
    ///
    /// - Parameter sender: The address of the sender; `nil` if it is unknown.
    /// - Throws: Errors of `request` that say nothing about the token; these are not remembered.
    func state(
        of token: Secret, from sender: String?, at now: Date, _ request: @escaping @Sendable () async throws -> State
    ) async throws -> State {
        let key = token.fingerprint
        let state = table.withLock { table -> @Sendable () async throws -> State in
            if let state = table.state(of: key, at: now) { return { state } }
            if let running = table.requests[key] { return { try await running.task.value } }
            table.lastRequest += 1
            let id = table.lastRequest
            let task = Task { [self] in
                defer { self.table.withLock { if $0.requests[key]?.id == id { $0.requests[key] = nil } } }
                let isKnown = formerlyAccepted.withLock { $0.value(of: key) } ?? false
                let state = try await isKnown ? request() : unknown.withPlace(of: sender, request)
                if case .success = state { formerlyAccepted.withLock { $0.keep(true, for: key) } }
                self.table.withLock { table in
                    // It may have been forgotten meanwhile.
                    if table.requests[key]?.id == id { self.keep(state, of: key, at: now, in: &table) }
                }
                return state
            }
            table.requests[key] = (id, task)
            return { try await task.value }
        }
        return try await state()
    }

    /// Forgets a token, because it was revoked. The response to a request in progress is not kept either.
    func forget(_ token: Secret) {
        let key = token.fingerprint
        table.withLock { table in
            table.entries[key] = nil
            table.requests[key] = nil
        }
        formerlyAccepted.withLock { $0.forget(key) }
    }

    private func keep(_ state: State, of key: [UInt8], at now: Date, in table: inout Table) {
        var end = now + lifetime
        if case .success(let validated) = state, let expiry = validated.token.expiresAt { end = min(end, expiry) }
        guard now < end else { return }
        table.entries[key] = Entry(state: state, since: now, until: end)
        guard table.entries.count > Self.limit else { return }
        table.entries = table.entries.filter { $0.value.until > now }
        guard table.entries.count > Self.limit else { return }
        // A tenth at a time, so that a flood does not cause a sort at each step.
        let surplus = table.entries.count - Self.limit + Self.limit / 10
        for (old, _) in table.entries.sorted(by: { $0.value.until < $1.value.until }).prefix(surplus) {
            table.entries[old] = nil
        }
    }
}
