import Carnet
import CarnetFoundation
import CarnetProtocol
import Logging

/// Keeps the claims of a site's users with their tokens, and reads them again: when the tokens are refreshed, and each hour.
final class ClaimKeeper: Sendable {
    /// The size of an account's claims, as JSON in bytes.
    private static let sizeLimit = 65_536
    /// How long a provider that fails is not asked again about an account, in seconds; longer if it says so.
    private static let pause: TimeInterval = 10
    /// The claims that `WebAccount` has as properties.
    private static let ownNames = ["name", "email", "email_verified"]

    /// The claims and tokens of an account, as a request uses them.
    private struct Known {
        var claims: KeptClaims?
        var tokens: TokenSet

        init(_ connection: Connection) {
            claims = connection.browser?.claims
            tokens = connection.tokens
        }
    }

    private struct Table {
        var running: [ByteKey: Task<Known, any Error>] = [:]
        var pauses: [ByteKey: Date] = [:]
    }

    let names: [String]
    /// How long a request waits for the provider before it goes on with what is known.
    private let patience: Duration
    private let clock: any WallClock
    private let logger: Logger
    private let table = Lock(Table())

    init(_ names: [String], patience: Duration, _ clock: any WallClock, _ logger: Logger) {
        self.names = Self.ownNames + names.filter { !Self.ownNames.containsBytes(of: $0) }
        self.patience = patience
        self.clock = clock
        self.logger = logger
    }

    /// What a profile says. A claim that is unavailable stays as it was.
    private func kept(
        _ session: Session, _ profile: Profile, before: KeptClaims?, issuedAt: Date, now: Date
    ) async throws -> KeptClaims {
        for failure in profile.failures where failure.disposition != .tryLater {
            logger.notice(
                "Claims of a user are missing",
                metadata: ["provider": "\(session.key.provider)", "cause": "\(failure)"])
        }
        let all = try await session.claims(of: profile)
        let before = before.flatMap { $0.isUsable(at: now) ? $0 : nil }
        let former = before?.claims ?? JSONObject()
        let unavailable = names.filter(profile.isUnavailable)
        var claims = JSONObject()
        var size = 0
        for name in names {
            guard let value = (unavailable.containsBytes(of: name) ? former : all)[name] else { continue }
            let needed = name.utf8.count + value.jsonText().utf8.count
            guard size + needed <= Self.sizeLimit else {
                logger.notice("A claim is too large to be kept", metadata: ["claim": "\(name)", "bytes": "\(needed)"])
                continue
            }
            size += needed
            claims[name] = value
        }
        // The provider names another place for a claim that it left out (OpenID Connect Core, section 5.6.2).
        if let elsewhere = all.claimsElsewhere?.filter({ claims[$0] == nil }), !elsewhere.isEmpty {
            logger.notice(
                "The provider left claims out and names another place for them (_claim_names)",
                metadata: [
                    "provider": "\(session.key.provider)", "claims": "\(elsewhere.joined(separator: " ").quotable())",
                    "next": "let the provider send fewer groups, such as those assigned to the application, or roles",
                ])
        }
        // The age of the oldest part counts.
        let readAt = unavailable.isEmpty ? now : before?.readAt ?? now
        return KeptClaims(
            claims, names: names, issuedAt: issuedAt, readAt: readAt, isIncomplete: !unavailable.isEmpty)
    }

    /// - Returns: `nil` if the account has no tokens.
    /// - Throws: `TokenStoreError`; `OAuthError` if the session has ended, or the tokens were issued to another registration.
    func current(_ account: WebAccount, at client: OAuthClient) async throws -> WebAccount? {
        guard let (session, connection) = try await client.current(account.storeName) else { return nil }
        let key = ByteKey(account.storeName)
        let now = clock.now
        var known = Known(connection)
        if client.areUsedUp(known.tokens), let claims = known.claims, !claims.isUsable(at: now) {
            throw OAuthError(
                .profile, .noRefreshToken, "the tokens expired long ago, and there is no refresh token")
        }
        let isPaused = table.withLock { $0.pauses[key].map { $0 > now } ?? false }
        if !isPaused, client.isRefreshDue(known.tokens) || !isCurrent(known, at: client, now) {
            if let read = try await reading(key, known, session, at: client).value(within: patience) {
                known = read
            } else if !Task.isCancelled {
                pause(key, account.provider.rawValue, "no response yet")
            }
        }
        return account.showing(
            known.claims.map { $0.isUsable(at: now) ? $0.claims : JSONObject() }, scopes: known.tokens.scopes)
    }

    private func isCurrent(_ known: Known, at client: OAuthClient, _ now: Date) -> Bool {
        known.claims?.isCurrent(names, with: known.tokens, areUsedUp: client.areUsedUp(known.tokens), at: now) ?? false
    }

    /// Reads the claims once for all requests that wait for them.
    private func reading(
        _ key: ByteKey, _ known: Known, _ session: Session, at client: OAuthClient
    ) -> Task<Known, any Error> {
        table.withLock { table in
            if let running = table.running[key] { return running }
            let task = Task { [self] in
                defer { self.table.withLock { $0.running[key] = nil } }
                return try await read(key, known, session, at: client)
            }
            table.running[key] = task
            return task
        }
    }

    /// - Throws: If the session has ended. After any other failure, what is known is the result, and a pause begins.
    private func read(
        _ key: ByteKey, _ before: Known, _ session: Session, at client: OAuthClient
    ) async throws -> Known {
        let provider = session.key.provider
        var known = before
        do {
            if client.isRefreshDue(known.tokens) {
                known = Known(try await session.validConnection())
                if client.isRefreshDue(known.tokens) { pause(key, provider, "the tokens could not be refreshed") }
            }
            guard !isCurrent(known, at: client, clock.now) else { return known }
            let profile = try await session.profile(for: names)
            let claims = try await kept(
                session, profile, before: known.claims, issuedAt: known.tokens.issuedAt, now: clock.now)
            known.claims = claims
            if claims.isIncomplete == true {
                let failure = profile.failures.first { $0.disposition == .tryLater }
                pause(key, provider, failure.map { "\($0)" } ?? "", until: failure?.retryAt)
            }
            try await session.note(claims)
        } catch let error as OAuthError
            where error.isRefusalOfProfile && (known.claims != nil || error.disposition != .signInAgain)
        {
            logger.notice(
                "A provider refuses the profile of a user", metadata: ["provider": "\(provider)", "cause": "\(error)"])
            guard error.disposition != .signInAgain else {
                _ = try await session.signOut()
                throw error
            }
            let claims = KeptClaims(
                JSONObject(), names: names, issuedAt: known.tokens.issuedAt, readAt: clock.now, isIncomplete: true)
            known.claims = claims
            pause(key)
            try await session.note(claims)
        } catch let error as OAuthError where error.step == .profile || error.disposition != .signInAgain {
            // A provider whose profile rejects the token of a sign-in has not ended the session.
            pause(key, provider, "\(error)", until: error.retryAt)
        } catch let error as OAuthError {
            logger.notice("A session ended", metadata: ["provider": "\(provider)", "cause": "\(error)"])
            throw error
        }
        return known
    }

    /// For a sign-in.
    func keptAtSignIn(_ session: Session, _ profile: Profile?) async throws -> KeptClaims? {
        guard let profile else { return nil }
        let now = clock.now
        let tokens = try await session.storedTokens()
        return try await kept(session, profile, before: nil, issuedAt: tokens.issuedAt, now: now)
    }

    private func pause(_ key: ByteKey, _ provider: String, _ cause: String, until end: Date? = nil) {
        guard pause(key, until: end) else { return }
        logger.notice(
            "The claims of a user cannot be read again; the kept ones stay in use",
            metadata: ["provider": "\(provider)", "cause": "\(cause)"])
    }

    /// - Returns: Whether there was none.
    @discardableResult
    private func pause(_ key: ByteKey, until end: Date? = nil) -> Bool {
        let now = clock.now
        let end = max(now.addingTimeInterval(Self.pause), end ?? now)
        return table.withLock { table in
            table.pauses = table.pauses.filter { $0.value > now }
            defer { table.pauses[key] = max(table.pauses[key] ?? end, end) }
            return table.pauses[key] == nil
        }
    }
}

extension Task where Failure == any Error {
    /// The result of a task that others wait for, too; `nil` if it takes longer, or if this task is cancelled.
    package func value(within patience: Duration) async throws -> Success? {
        let (results, result) = AsyncStream.makeStream(of: Result<Success, any Error>?.self)
        Task<Void, Never> { result.yield(await self.result) }
        let timer = Task<Void, Never> {
            guard (try? await Task<Never, Never>.sleep(for: patience)) != nil else { return }
            result.yield(nil)
        }
        defer { timer.cancel() }
        for await first in results { return try first?.get() }
        return nil
    }
}

extension OAuthError {
    /// Whether the provider gave a definite response, and it is not the profile.
    fileprivate var isRefusalOfProfile: Bool {
        guard step == .profile, disposition != .tryLater else { return false }
        return [.subjectMismatch, .missingField, .serverError].contains(kind)
            || status.map((400..<500).contains) ?? false
    }
}

extension WebAccount {
    /// The account as its claims describe it now.
    fileprivate func showing(_ claims: JSONObject?, scopes: [String]) -> WebAccount {
        var account = self
        account.scopes = scopes
        guard let claims else { return account }
        account.claims = claims
        account.setIdentity(
            name: claims["name"]?.scalarText ?? account.name, email: claims["email"]?.scalarText,
            isEmailVerified: claims["email_verified"]?.decidedTruth)
        return account
    }
}
