import CarnetDescriptors
import CarnetProtocol
import Foundation

extension Session {
    func stored() async throws -> StoredConnection {
        guard let stored = try await client.store.load(key) else {
            throw OAuthError(
                .storage, .sessionEnded, "\(key.account) is not signed in to \(key.provider)", hint: "sign in")
        }
        try client.checkOwner(of: stored.connection)
        return stored
    }

    func validConnection() async throws -> Connection {
        try await tellingState {
            do {
                return try await keepingLatest { try await connectionRenewedInTime() }
            } catch let error as TokenStoreError {
                guard error.kind == .unavailable, let latest,
                    !latest.tokens.isExpiring(within: 0, at: client.providerClock.now)
                else { throw error }
                return latest
            } catch let error as OAuthError {
                if error.disposition == .signInAgain { forgetLatest() }
                throw error
            }
        }
    }

    private func connectionRenewedInTime() async throws -> Connection {
        let stored = try await stored()
        var connection = stored.connection
        let margin = TimeInterval(client.provider.refreshMargin)
        do {
            if client.unsaved[key]?.revision == stored.revision {
                connection = try await refreshed(from: connection)
            }
            guard connection.tokens.isExpiring(within: margin, at: client.providerClock.now) else { return connection }
            return try await refreshed(from: connection)
        } catch  where error.leavesTokensInUse {
            // Inside the margin the token still serves; a failure to renew it early is no failure yet.
            guard connection.tokens.isExpiring(within: 0, at: client.providerClock.now) else { return connection }
            throw error
        }
    }

    /// Runs a request, and once more with renewed tokens if the access token was refused.
    func retryingOnce<Result: Sendable>(
        with connection: Connection,
        _ body: (Connection) async throws -> Result
    ) async throws -> Result {
        do {
            return try await body(connection)
        } catch let error as OAuthError where error.kind == .unauthorized && connection.tokens.refreshToken != nil {
            return try await body(try await tellingState { try await refreshed(from: connection) })
        }
    }

    /// Renewed tokens in place of stale ones. Callers at the same time share one renewal; it outlives a caller that is
    /// cancelled, because the provider may already have replaced the refresh token.
    func refreshed(from stale: Connection) async throws -> Connection {
        while let refreshing {
            let renewed = try await refreshing.value
            // A renewal of still older tokens may have brought the very ones that were found wanting.
            if renewed.tokens != stale.tokens { return renewed }
        }
        let task = Task { try await renew(stale) }
        refreshing = task
        return try await task.value
    }

    private func renew(_ stale: Connection) async throws -> Connection {
        stateChanges.change(to: .refreshing)
        defer { refreshing = nil }
        let provider = try await client.provider(for: stale)
        for _ in 0..<Self.lockAttempts {
            do {
                return try await renew(stale, at: provider)
            } catch is LockLost {
                // Nothing was sent. Whoever has the lock now may have brought new tokens by the time it is free.
                continue
            }
        }
        throw OAuthError(
            .refresh, .storage, "another process took the account's lock again and again", hint: "try again later")
    }

    /// How often the store's lock may be lost before a refresh gives up.
    private static let lockAttempts = 3

    private func renew(_ stale: Connection, at provider: Provider) async throws -> Connection {
        try await client.store.withLock(on: key) { [client, key] in
            var held = try await client.held(key)
            if let stored = held?.stored, let unsaved = held?.unsaved {
                let saved = try await Self.save(unsaved, replacing: stored.revision, client: client)
                // It may be no more than a refresh token that was kept of an answer.
                guard saved.tokens.isSameIssue(as: stale.tokens) else { return saved }
                held = try await client.held(key)
            }
            guard let stored = held?.stored else {
                throw OAuthError(.refresh, .sessionEnded, "the session was ended elsewhere", hint: "sign in again")
            }
            // Another process came first: its tokens are newer than the ones that this caller found wanting.
            guard stored.connection.tokens.isSameIssue(as: stale.tokens) else { return stored.connection }
            try client.checkOwner(of: stored.connection)
            let bound = try await client.binding(stored)
            return try await Telemetry.renewal(at: key.provider) {
                try await Self.renew(bound, client: client, provider: provider)
            }
        }
    }

    private static func renew(
        _ stored: StoredConnection,
        client: OAuthClient,
        provider: Provider
    ) async throws -> Connection {
        guard let refreshToken = stored.connection.tokens.credential(for: provider) else {
            throw OAuthError(
                .refresh,
                .noRefreshToken,
                "the provider gave no refresh token",
                descriptorKey: "scopes.offline",
                hint: "sign in again; the descriptor says how a refresh token is asked for"
            )
        }
        try await client.store.prepareToSave(stored.connection.key)
        let bounds = try await client.bounds(of: stored.connection)
        let (answer, request) = try await client.sendLocked(stored.connection, within: bounds) {
            try TokenRequest.refresh(
                refreshToken, at: provider, as: client.registration, random: client.random, now: client.clock.now)
        }
        var response: TokenResponse
        do {
            response = try TokenResponse(judging: answer, to: request, from: provider)
        } catch {
            guard error.kind == .serverError, error.server?.code == "invalid_grant" else {
                let newer = TokenResponse.refreshToken(in: answer, to: request, from: provider)
                try await keep(newer, of: stored, client: client)
                throw error
            }
            // Who lost the store's lock meanwhile was refused for another's success, saved or still under way.
            try await client.holdLock(on: stored.connection.key, for: .zero)
            guard try await !client.store.remove(stored.connection.key, ifRevision: stored.revision),
                let newer = try await client.store.load(stored.connection.key)
            else { throw error.endingSession }
            return newer.connection
        }
        let renewed: Connection
        do {
            response = try response.decryptingIDToken(for: client.registration, from: provider)
            renewed = try await client.completed(response, after: stored.connection, at: provider, within: bounds)
        } catch {
            guard !error.isOfAnotherAccount, !stored.connection.isContradicted(by: response.idToken) else {
                throw error
            }
            try await keep(response.refreshToken, of: stored, client: client)
            throw error.sayingThatNothingIsLost
        }
        return try await save(renewed, replacing: stored.revision, client: client)
    }

    /// Keeps the refresh token of an answer whose other tokens cannot be used: the one that was sent may be void by now,
    /// and the next attempt needs its successor.
    private static func keep(_ refreshToken: Secret?, of stored: StoredConnection, client: OAuthClient) async throws {
        var kept = stored.connection
        kept.tokens.refreshToken = refreshToken ?? kept.tokens.refreshToken
        if kept != stored.connection { _ = try await save(kept, replacing: stored.revision, client: client) }
    }

    /// Saves renewed tokens, or keeps them in memory for the next call if the store cannot take them now.
    private static func save(
        _ renewed: Connection,
        replacing revision: String,
        client: OAuthClient
    ) async throws -> Connection {
        do {
            _ = try await client.store.save(renewed, replacing: revision)
            client.unsaved[renewed.key] = nil
            return renewed
        } catch let error as TokenStoreError where error.kind == .conflict {
            client.unsaved[renewed.key] = nil
            // Whoever saved first, a new sign-in say, has the tokens that count; a sign-out left none.
            guard let newer = try await client.store.load(renewed.key) else {
                throw OAuthError(.refresh, .sessionEnded, "the session was ended elsewhere", hint: "sign in again")
            }
            return newer.connection
        } catch {
            client.unsaved[renewed.key] = UnsavedConnections.Entry(connection: renewed, revision: revision)
            let reason = (error as? TokenStoreError)?.reason ?? "the store failed"
            throw OAuthError(
                .storage,
                .storage,
                "the renewed tokens could not be saved: \(reason)",
                hint: "they are kept in memory and saved at the next call; do not end the program before"
            )
        }
    }
}

/// The store's lock is, or may be, another process's: nothing was sent, and nothing removed.
private struct LockLost: Error {}

extension OAuthClient {
    /// - Returns: As `TokenStore.holdLock(on:for:)`.
    /// - Throws: `LockLost`; `TokenStoreError`.
    @discardableResult
    fileprivate nonisolated func holdLock(
        on key: ConnectionKey, for duration: Duration
    ) async throws -> ContinuousClock.Instant? {
        do {
            return try await store.holdLock(on: key, for: duration)
        } catch let error as TokenStoreError where error.kind == .conflict {
            throw LockLost()
        }
    }

    /// Sends a request with a token that is good for one use, while the store's lock outlasts the whole exchange.
    ///
    /// - Throws: `LockLost` if it does not; then nothing was sent.
    fileprivate nonisolated func sendLocked(
        _ connection: Connection,
        within bounds: CredentialBounds,
        _ make: @Sendable () throws -> PreparedRequest
    ) async throws -> (response: IncomingResponse, request: PreparedRequest) {
        let limit = exchanger.limits.deadline
        // Half as long again, for the connection before and the save after.
        let end = try await holdLock(on: connection.key, for: limit + limit / 2)
        do {
            return try await send(
                within: bounds, provedBy: connection.dpopKey, before: end.map { $0 - limit }, make)
        } catch let error as TransportError where error.kind == .tooLate {
            throw LockLost()
        } catch var error as OAuthError where error.kind == .transport {
            error.hint = "the session is kept, and the next refresh tries again"
            throw error
        }
    }
}

extension TokenSet {
    /// Whether the access tokens came in one answer; the refresh token may have been replaced since.
    fileprivate func isSameIssue(as other: TokenSet) -> Bool {
        accessToken == other.accessToken && issuedAt == other.issuedAt
    }

    /// The token that a refresh exchanges.
    fileprivate func credential(for provider: Provider) -> Secret? {
        switch provider.refreshCredential {
        case .refreshToken: refreshToken
        case .accessToken: accessToken
        }
    }
}

extension OAuthClient {
    /// A connection with renewed tokens, after what has to follow before they are of use: the ID token is validated, and
    /// the further exchange steps are made.
    fileprivate nonisolated func completed(
        _ response: TokenResponse,
        after old: Connection,
        at provider: Provider,
        within bounds: CredentialBounds
    ) async throws -> Connection {
        var renewed = old
        renewed.tokens = old.tokens.merging(response, rotation: provider.refreshRotation, now: providerClock.now)
        renewed.keep(response.values)
        if let token = response.idToken {
            let expectations = try IDTokenExpectations(
                from: provider,
                as: registration,
                nonce: old.nonce.map { .continuing($0) } ?? .ofRefresh,
                accessToken: response.accessToken,
                subject: old.subject,
                continuedIssuer: old.issuer
            )
            _ = try await validate(token, expecting: expectations)
        }
        let discovered = try await connection.provider()
        if discovered.exchange.contains(where: \.value.repeatsAfterRefresh) {
            let (tokens, values) = try await exchanged(
                renewed.tokens, HeldValues(of: renewed), boundTo: renewed.dpopKey, at: discovered,
                within: bounds, isRefresh: true)
            renewed.tokens = tokens
            renewed.keep(values)
        }
        renewed.keep(derivedAgain(renewed, at: discovered))
        renewed.tokens = await findingEnd(
            of: renewed.tokens, at: filled(discovered, with: HeldValues(of: renewed)), within: bounds)
        return renewed
    }
}

extension Connection {
    /// The nonce of the sign-in, if the ID token that is held repeats it.
    fileprivate var nonce: Secret? {
        tokens.idToken.flatMap { try? IDToken(storedAfterValidation: $0) }?.claims["nonce"]?.string.map { Secret($0) }
    }

    /// Whether an ID token that came with new tokens says that they are another account's. It need not be believed for
    /// that: what contradicts itself is not kept.
    fileprivate func isContradicted(by token: Secret?) -> Bool {
        guard let token, let claims = try? IDToken(storedAfterValidation: token) else { return false }
        return !(issuer ?? claims.issuer).isSameBytes(as: claims.issuer)
            || !(subject ?? claims.subject).isSameBytes(as: claims.subject)
    }
}

extension Error {
    /// Whether a token that has not ended may still be given after this failure of a renewal.
    fileprivate var leavesTokensInUse: Bool {
        guard let error = self as? OAuthError else { return self is TokenStoreError }
        return error.kind != .sessionEnded && error.step != .idToken
    }
}

extension Error {
    /// Whether an ID token says that the tokens that came with it are not this session's.
    fileprivate var isOfAnotherAccount: Bool {
        let kinds: Set<OAuthError.Kind> = [
            .issuerMismatch, .subjectMismatch, .audienceMismatch, .authorizedPartyMismatch, .nonceMismatch,
        ]
        guard let error = self as? OAuthError else { return false }
        return error.step == .idToken && kinds.contains(error.kind)
    }

    /// The refusal of an ID token, or of the keys to check it with, as the failed renewal that it is: the session goes on.
    fileprivate var sayingThatNothingIsLost: any Error {
        guard var error = self as? OAuthError, [.idToken, .keys].contains(error.step) else { return self }
        error.step = .refresh
        error.hint = (error.hint.map { $0 + "; " } ?? "") + "the session is kept, and the next renewal tries again"
        return error
    }
}

extension OAuthError {
    /// The provider's refusal of a refresh token, said as what it means.
    fileprivate var endingSession: OAuthError {
        meaning(.sessionEnded, "the provider ended the session", hint: "sign in again")
    }
}
