import CarnetCrypto
import CarnetFoundation
import CarnetProtocol
import CarnetWeb

/// The tokens of people for the programs of routes with `token`.
final class ProgramTokens: Sendable {
    private struct Entry {
        let token: Secret
        let until: Date
    }

    /// Why there is no token, for the requests until then.
    private struct Failure {
        let error: any Error
        let until: Date
    }

    private struct Table {
        var obtained = Recent<[UInt8], Entry>(limit: ProgramTokens.limit)
        var running: [[UInt8]: Task<Secret, any Error>] = [:]
        var failures = Recent<[UInt8], Failure>(limit: ProgramTokens.limit)
    }

    /// Of obtained tokens.
    private static let limit = 20_000
    /// In bytes. A proxy has little more room for all headers together.
    private static let longest = 6_144
    /// How long a token without an expiry is used again, in seconds.
    private static let lifetime: TimeInterval = 60
    /// How long a provider that fails is not asked again for the same token, in seconds; longer if it says so.
    private static let pause: TimeInterval = 10
    /// The same for an ID token that a refresh did not bring, in seconds.
    private static let longPause: TimeInterval = 3600

    /// How long a request waits for the provider.
    private let patience: Duration
    private let table = Lock(Table())

    init(patience: Duration) { self.patience = patience }

    /// - Throws: `OAuthError` if the person has no such token, or it is bound to the gateway's key; `TokenStoreError`.
    func value(_ rules: GatewayRouteToken, of account: WebAccount, _ web: WebSignIn) async throws -> String {
        let token = try await token(rules, of: account, web).reveal()
        guard token.utf8.count <= Self.longest, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.failure("the token has \(token.utf8.count) bytes, or no form for a header")
        }
        return rules.header == .authorization ? "Bearer \(token)" : token
    }

    private func token(_ rules: GatewayRouteToken, of account: WebAccount, _ web: WebSignIn) async throws -> Secret {
        guard let session = try await web.tokenSession(of: account) else {
            throw Self.failure("the session has no tokens", .sessionEnded)
        }
        let tokens = try await current(session, web.clock)
        /// For another person, the same text is another token: the provider chooses the text. The table
        /// does not contain it.
        func key(_ parts: String...) -> [UInt8] {
            let all = [account.provider.rawValue, account.issuer ?? "", account.storeName] + parts
            return Array(SHA256.hash(data: Array(JSONValue.array(all.map { .string($0) }).jsonText().utf8)))
        }
        if rules.kind == .id {
            guard let token = tokens.idToken else { throw Self.failure("the provider issued no ID token") }
            guard Self.hasExpired(token, at: web.clock.now) else { return token }
            return try await obtained(key("id", token.reveal()), web.clock) { try await Self.refreshed(session, web) }
        }
        try Self.checkBearer(tokens)
        guard let audience = rules.audience else { return tokens.accessToken }
        return try await obtained(key("access", audience, tokens.accessToken.reveal()), web.clock) {
            let (new, _) = try await session.exchange { token in
                TokenExchange(TokenExchange.TypedToken(token), audience: [audience], requestedType: .accessToken)
            }
            try Self.checkBearer(new)
            let now = web.clock.now
            let half = new.expiresAt.map { $0.timeIntervalSince(now) / 2 } ?? Self.lifetime
            return Entry(token: new.accessToken, until: now.addingTimeInterval(half))
        }
    }

    /// The session's tokens, refreshed if the provider responds in time, or as long as they are valid anyway.
    private func current(_ session: Session, _ clock: any WallClock) async throws -> TokenSet {
        // Others wait for the same refresh, so it is not cancelled.
        if let tokens = try await Task { try await session.tokens() }.value(within: patience) { return tokens }
        let stored = try await session.storedTokens()
        guard !stored.isExpiring(within: 0, at: clock.now) else { throw silence }
        return stored
    }

    /// The ID token of a refresh, which not every provider's response has. The next request finds it in the session.
    private static func refreshed(_ session: Session, _ web: WebSignIn) async throws -> Entry {
        let now = web.clock.now
        guard let token = try await session.refresh().idToken, !hasExpired(token, at: now) else {
            var error = failure(
                "the ID token has expired, and the provider issues the next one at a sign-in", .noRefreshToken)
            error.retryAt = now.addingTimeInterval(longPause)
            throw error
        }
        return Entry(token: token, until: now)
    }

    private static func hasExpired(_ token: Secret, at now: Date) -> Bool {
        guard let claims = try? IDToken(storedAfterValidation: token).claims else { return true }
        return claims["exp"]?.scalarText.flatMap { Double($0) }.map { $0 <= now.timeIntervalSince1970 } ?? true
    }

    private static func checkBearer(_ tokens: TokenSet) throws {
        guard tokens.tokenType.lowercased() == "bearer" else {
            throw failure("the access token has the type \(tokens.tokenType.quotable()) instead of Bearer")
        }
    }

    /// Obtains a token once for all requests that wait for it, and keeps it, or why there is none.
    private func obtained(
        _ key: [UInt8], _ clock: any WallClock, _ obtain: @escaping @Sendable () async throws -> Entry
    ) async throws -> Secret {
        let now = clock.now
        if let entry = table.withLock({ $0.obtained.value(of: key) }), entry.until > now { return entry.token }
        let found = table.withLock { table -> Result<Task<Secret, any Error>, any Error> in
            if let entry = table.obtained.value(of: key), entry.until > now { return .success(Task { entry.token }) }
            if let failure = table.failures.value(of: key), failure.until > now { return .failure(failure.error) }
            if let running = table.running[key] { return .success(running) }
            let task = Task<Secret, any Error> { [self] in
                do {
                    let entry = try await obtain()
                    self.table.withLock { table in
                        if entry.until > now { table.obtained.keep(entry, for: key) }
                        table.running[key] = nil
                        table.failures.forget(key)
                    }
                    return entry.token
                } catch {
                    fail(key, error, clock.now)
                    self.table.withLock { $0.running[key] = nil }
                    throw error
                }
            }
            table.running[key] = task
            return .success(task)
        }
        if let token = try await found.get().value(within: patience) { return token }
        let error = silence
        // The next requests do not wait; the response, when it comes, ends the pause.
        if !Task.isCancelled { fail(key, error, now) }
        throw error
    }

    private func fail(_ key: [UInt8], _ error: any Error, _ now: Date) {
        let until = max(now.addingTimeInterval(Self.pause), (error as? OAuthError)?.retryAt ?? now)
        table.withLock { $0.failures.keep(Failure(error: error, until: until), for: key) }
    }

    private var silence: OAuthError { Self.failure("the provider did not respond within \(patience)") }

    private static func failure(_ reason: String, _ kind: OAuthError.Kind = .unsupported) -> OAuthError {
        OAuthError(.configuration, kind, "no token for the program: \(reason)")
    }
}
