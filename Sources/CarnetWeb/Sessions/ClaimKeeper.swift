import Carnet
import CarnetFoundation
import CarnetProtocol
import Logging

/// Keeps the claims of a site's users with their tokens, and reads them again when the tokens are refreshed.
final class ClaimKeeper: Sendable {
    /// The size of an account's claims, as JSON in bytes.
    private static let sizeLimit = 65_536
    /// How long a provider that fails is not asked again about an account, in seconds.
    private static let pause: TimeInterval = 10
    /// The claims that `WebAccount` has as properties.
    private static let ownNames = ["name", "email", "email_verified"]

    private struct Table {
        var running: [ByteKey: Task<KeptClaims, any Error>] = [:]
        var pauses: [ByteKey: Date] = [:]
    }

    let names: [String]
    private let table = Lock(Table())

    init(_ names: [String]) {
        self.names = Self.ownNames + names.filter { !Self.ownNames.containsBytes(of: $0) }
    }

    /// - Throws: Also the failure of a request for claims that may succeed later, so that what is known stays in use.
    private func kept(
        _ session: Session, _ profile: Profile, issuedAt: Date, now: Date, _ logger: Logger
    ) async throws -> KeptClaims {
        if let failure = profile.failures.first(where: { $0.disposition == .tryLater }) { throw failure }
        for failure in profile.failures {
            logger.notice(
                "Claims of a user are missing",
                metadata: ["provider": "\(session.key.provider)", "cause": "\(failure)"])
        }
        let all = try await session.claims(of: profile)
        var claims = JSONObject()
        var size = 0
        for name in names {
            guard let value = all[name] else { continue }
            let needed = name.utf8.count + value.jsonText().utf8.count
            guard size + needed <= Self.sizeLimit else {
                logger.notice("A claim is too large to be kept", metadata: ["claim": "\(name)", "bytes": "\(needed)"])
                continue
            }
            size += needed
            claims[name] = value
        }
        return KeptClaims(claims, names: names, issuedAt: issuedAt, readAt: now)
    }

    /// - Returns: `nil` if the account has no tokens.
    /// - Throws: `TokenStoreError`; `OAuthError` if the session has ended, or the tokens were issued to another registration.
    func current(
        _ account: WebAccount, at client: OAuthClient, now: Date, _ logger: Logger
    ) async throws -> WebAccount? {
        let key = ByteKey(account.storeName)
        let isPaused = table.withLock { $0.pauses[key].map { $0 > now } ?? false }
        guard let found = try await client.current(account.storeName, refreshing: !isPaused) else { return nil }
        if let failure = found.failure { pause(key, account, now, failure, logger) }
        var claims = found.connection.browser?.claims
        let tokens = found.connection.tokens
        if !isPaused, found.failure == nil, !(claims?.isCurrent(names, with: tokens, at: now) ?? false) {
            do {
                claims = try await read(found.session, key, issuedAt: tokens.issuedAt, now: now, logger)
            } catch let error as OAuthError where error.disposition != .signInAgain || error.step == .profile {
                // A provider whose profile rejects its own token has not ended the session.
                pause(key, account, now, error, logger)
            }
        }
        return account.showing(claims?.claims, scopes: tokens.scopes)
    }

    /// Reads the claims once for all requests that wait for them.
    private func read(
        _ session: Session, _ key: ByteKey, issuedAt: Date, now: Date, _ logger: Logger
    ) async throws -> KeptClaims {
        let task = table.withLock { table in
            if let running = table.running[key] { return running }
            let task = Task { [self] in
                defer { self.table.withLock { $0.running[key] = nil } }
                let profile = try await session.profile(for: names)
                let claims = try await kept(session, profile, issuedAt: issuedAt, now: now, logger)
                try await session.note(claims)
                return claims
            }
            table.running[key] = task
            return task
        }
        return try await task.value
    }

    /// For a sign-in: `nil` if a part of the profile is unavailable, so that the claims are read at the next request.
    func keptAtSignIn(
        _ session: Session, _ profile: Profile?, now: Date, _ logger: Logger
    ) async throws -> KeptClaims? {
        guard let profile else { return nil }
        let tokens = try await session.storedTokens()
        do {
            return try await kept(session, profile, issuedAt: tokens.issuedAt, now: now, logger)
        } catch let error as OAuthError where error.disposition == .tryLater {
            return nil
        }
    }

    private func pause(_ key: ByteKey, _ account: WebAccount, _ now: Date, _ failure: OAuthError, _ logger: Logger) {
        logger.notice(
            "The claims of a user cannot be read again; the kept ones stay in use",
            metadata: ["provider": "\(account.provider)", "cause": "\(failure)"])
        table.withLock { table in
            table.pauses = table.pauses.filter { $0.value > now }
            table.pauses[key] = now.addingTimeInterval(Self.pause)
        }
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
            isEmailVerified: claims["email_verified"]?.statedTruth)
        return account
    }
}
