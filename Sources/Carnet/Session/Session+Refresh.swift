import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

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
        try await reportingState {
            do {
                return try await keepingLatest { try await connectionRefreshedInTime() }
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

    private func connectionRefreshedInTime() async throws -> Connection {
        let stored = try await stored()
        var connection = stored.connection
        do {
            if client.unsaved[key]?.revision == stored.revision {
                connection = try await refreshed(from: connection)
            }
            guard connection.tokens.isExpiring(within: client.refreshMargin, at: client.providerClock.now) else {
                return connection
            }
            return try await refreshed(from: connection)
        } catch  where error.leavesTokensInUse {
            // Within the margin the token is still valid, so a failed early refresh is not an error.
            guard connection.tokens.isExpiring(within: 0, at: client.providerClock.now) else { return connection }
            throw error
        }
    }

    /// Runs a request, and once more with refreshed tokens if the access token was rejected.
    func retryingOnce<Result: Sendable>(
        with connection: Connection,
        _ body: (Connection) async throws -> Result
    ) async throws -> Result {
        do {
            return try await body(connection)
        } catch let error as OAuthError where error.kind == .unauthorized && connection.tokens.refreshToken != nil {
            return try await body(try await reportingState { try await refreshed(from: connection) })
        }
    }

    /// Refreshes stale tokens. Concurrent callers share one refresh. It continues if a caller is cancelled, because
    /// the provider may already have replaced the refresh token.
    func refreshed(from stale: Connection) async throws -> Connection {
        while let refreshing {
            let refreshed = try await refreshing.value
            // A concurrent refresh of older tokens may have returned the tokens that are now stale.
            if refreshed.tokens != stale.tokens { return refreshed }
        }
        client.refreshes.begin()
        let task = Task {
            defer { client.refreshes.end() }
            return try await refreshTokens(stale)
        }
        refreshing = task
        return try await task.value
    }

    private func refreshTokens(_ stale: Connection) async throws -> Connection {
        stateChanges.change(to: .refreshing)
        defer { refreshing = nil }
        let provider = try await client.provider(for: stale)
        for _ in 0..<Self.lockAttempts {
            do {
                return try await refreshTokens(stale, at: provider)
            } catch is LockLost {
                // Nothing was sent. The new owner of the lock may save new tokens before it is free again.
                continue
            }
        }
        throw OAuthError(
            .refresh, .storage, "other processes took the account's lock several times", hint: "try again later")
    }

    /// How often the store's lock may be lost before a refresh fails.
    private static let lockAttempts = 3

    private func refreshTokens(_ stale: Connection, at provider: BoundProvider) async throws -> Connection {
        try await client.store.withLock(on: key) { [client, key] in
            var held = try await client.held(key)
            if let stored = held?.stored, let unsaved = held?.unsaved {
                let saved = try await Self.save(unsaved, replacing: stored.revision, client: client)
                // The record may contain only a new refresh token, saved from an unusable response.
                guard saved.tokens.isSameIssue(as: stale.tokens) else { return saved }
                held = try await client.held(key)
            }
            guard let stored = held?.stored else {
                throw OAuthError(
                    .refresh, .sessionEnded, "the session was ended by another process", hint: "sign in again")
            }
            // Another process refreshed first: its tokens are newer than this caller's stale ones.
            guard stored.connection.tokens.isSameIssue(as: stale.tokens) else { return stored.connection }
            try client.checkOwner(of: stored.connection)
            let bound = try await client.binding(stored)
            return try await Telemetry.refresh(at: key.provider) {
                try await Self.refreshTokens(bound, client: client, provider: provider)
            }
        }
    }

    private static func refreshTokens(
        _ stored: StoredConnection,
        client: OAuthClient,
        provider: BoundProvider
    ) async throws -> Connection {
        guard let refreshToken = stored.connection.tokens.credential(for: provider) else {
            throw OAuthError(
                .refresh,
                .noRefreshToken,
                "the access token expired, and the provider issued no refresh token",
                descriptorKey: "scopes.offline",
                hint: "sign in again; request offline access if the provider requires it"
            )
        }
        try await client.store.prepareToSave(stored.connection.key)
        let bounds = try await client.bounds(of: stored.connection)
        let (incoming, request) = try await client.sendLocked(stored.connection, within: bounds) {
            try TokenRequest.refresh(
                refreshToken, at: provider, as: client.registration, random: client.random,
                now: client.providerClock.now)
        }
        var response: TokenResponse
        do {
            response = try TokenResponse(
                validating: incoming, to: request, from: provider, refreshing: stored.connection.tokens)
        } catch {
            guard error.kind == .serverError, error.server?.code == "invalid_grant" else {
                let newer = TokenResponse.refreshToken(in: incoming, to: request, from: provider)
                try await keep(newer, of: stored, client: client)
                throw error
            }
            // If the lock was lost meanwhile, the rejection may be due to another process's refresh.
            try await client.holdLock(on: stored.connection.key, for: .zero)
            guard try await !client.store.remove(stored.connection.key, ifRevision: stored.revision),
                let newer = try await client.store.load(stored.connection.key)
            else { throw error.endingSession }
            return newer.connection
        }
        let refreshed: Connection
        var kept = stored
        do {
            try response.decryptIDToken(for: client.registration, from: provider)
            if !stored.connection.isContradicted(by: response.idToken),
                client.sendsMore(after: response, from: provider)
            {
                kept = await keepAtOnce(response, of: stored, from: provider, client: client)
            }
            refreshed = try await client.completed(response, after: kept.connection, at: provider, within: bounds)
        } catch {
            guard !error.isOfAnotherAccount, !stored.connection.isContradicted(by: response.idToken) else {
                if kept.revision != stored.revision {
                    _ = try await client.store.save(stored.connection, replacing: kept.revision)
                }
                throw error
            }
            try await keep(response.refreshToken, of: kept, client: client)
            throw error.asRefreshError
        }
        return try await save(refreshed, replacing: kept.revision, client: client)
    }

    /// Saves the refresh token of an otherwise unusable response: the old one may be invalid by now, and the next
    /// attempt needs the new one.
    private static func keep(_ refreshToken: Secret?, of stored: StoredConnection, client: OAuthClient) async throws {
        var kept = stored.connection
        kept.tokens.refreshToken = refreshToken ?? kept.tokens.refreshToken
        if kept != stored.connection { _ = try await save(kept, replacing: stored.revision, client: client) }
    }

    /// Saves the refresh token of a response before anything else is sent: a process that is killed during the further
    /// requests then loses no session. A save that fails changes nothing, because a later one follows.
    private static func keepAtOnce(
        _ response: TokenResponse, of stored: StoredConnection, from provider: BoundProvider, client: OAuthClient
    ) async -> StoredConnection {
        var kept = stored
        kept.connection.tokens.refreshToken =
            stored.connection.tokens
            .merging(response, rotation: provider.refresh.rotation, now: client.providerClock.now).refreshToken
        guard kept.connection != stored.connection,
            let revision = try? await client.store.save(kept.connection, replacing: stored.revision)
        else { return stored }
        kept.revision = revision
        return kept
    }

    /// Saves refreshed tokens, or keeps them in memory for the next call if the store fails.
    private static func save(
        _ refreshed: Connection,
        replacing revision: String,
        client: OAuthClient
    ) async throws -> Connection {
        do {
            _ = try await client.store.save(refreshed, replacing: revision)
            client.unsaved[refreshed.key] = nil
            return refreshed
        } catch let error as TokenStoreError where error.kind == .conflict {
            client.unsaved[refreshed.key] = nil
            // The other writer's tokens count, such as those of a new sign-in. After a sign-out there are none.
            guard let newer = try await client.store.load(refreshed.key) else {
                throw OAuthError(
                    .refresh, .sessionEnded, "the session was ended by another process", hint: "sign in again")
            }
            return newer.connection
        } catch {
            client.unsaved[refreshed.key] = UnsavedConnections.Entry(connection: refreshed, revision: revision)
            let reason = (error as? TokenStoreError)?.reason ?? "the store failed"
            throw OAuthError(
                .storage,
                .storage,
                "the refreshed tokens could not be saved: \(reason)",
                hint: "they are kept in memory and saved at the next call; repair the store before the program ends"
            )
        }
    }
}

/// Another process may hold the store's lock: nothing was sent, and nothing removed.
private struct LockLost: Error {}

extension OAuthClient {
    /// - Returns: As `TokenStore.holdLock(on:for:)`.
    /// - Throws: `LockLost`; `TokenStoreError`.
    @discardableResult
    fileprivate func holdLock(
        on key: ConnectionKey, for duration: Duration
    ) async throws -> ContinuousClock.Instant? {
        do {
            return try await store.holdLock(on: key, for: duration)
        } catch let error as TokenStoreError where error.kind == .conflict {
            throw LockLost()
        }
    }

    /// Sends a request with a token for one use, while the store's lock outlasts the exchange.
    ///
    /// - Throws: `LockLost` if it does not; then nothing was sent.
    fileprivate func sendLocked(
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
    /// Whether both access tokens came in one response; the refresh token may have been replaced since.
    fileprivate func isSameIssue(as other: TokenSet) -> Bool {
        accessToken == other.accessToken && issuedAt == other.issuedAt
    }

    /// The refresh token.
    fileprivate func credential(for provider: BoundProvider) -> Secret? {
        switch provider.refresh.using {
        case .refreshToken: refreshToken
        case .accessToken: accessToken
        }
    }
}

extension OAuthClient {
    /// Whether `completed` sends requests for this response: for keys, further exchange steps or the expiry.
    fileprivate func sendsMore(after response: TokenResponse, from provider: BoundProvider) -> Bool {
        if response.idToken != nil, !cache.hasKeys { return true }
        return provider.exchange.contains(where: \.value.repeatsAfterRefresh)
            || provider.refresh.expiryFrom == .introspection
    }

    /// A connection with refreshed tokens, after the ID token is validated and the exchange steps are made.
    fileprivate func completed(
        _ response: TokenResponse,
        after old: Connection,
        at provider: BoundProvider,
        within bounds: CredentialBounds
    ) async throws -> Connection {
        var refreshed = old
        refreshed.tokens = old.tokens.merging(response, rotation: provider.refresh.rotation, now: providerClock.now)
        refreshed.keep(response.values)
        if let token = response.idToken {
            let expectations = try IDTokenExpectations(
                from: provider.discovered,
                as: registration,
                nonce: old.nonce.map { .continuing($0) } ?? .ofRefresh,
                accessToken: response.accessToken,
                subject: old.subject,
                continuedIssuer: old.issuer
            )
            _ = try await validate(token, expecting: expectations)
        }
        let discovered = provider.discovered
        if provider.exchange.contains(where: \.value.repeatsAfterRefresh) {
            let (tokens, values) = try await makingExchangeSteps(
                refreshed.tokens, ConnectionValues(of: refreshed), boundTo: refreshed.dpopKey, at: provider,
                within: bounds, isRefresh: true)
            refreshed.tokens = tokens
            refreshed.keep(values)
        }
        refreshed.keep(derivedAgain(refreshed, at: discovered))
        refreshed.tokens = await findingExpiry(
            of: refreshed.tokens, at: filled(discovered, with: ConnectionValues(of: refreshed)), within: bounds)
        return refreshed
    }
}

extension Connection {
    /// The nonce of the sign-in, if the stored ID token contains it.
    fileprivate var nonce: Secret? {
        self.tokens.idToken.flatMap { try? IDToken(storedAfterValidation: $0) }?.claims["nonce"]?.string.map {
            Secret($0)
        }
    }

    /// Whether a new ID token names another account. It is rejected even before its signature is checked.
    fileprivate func isContradicted(by token: Secret?) -> Bool {
        guard let token, let claims = try? IDToken(storedAfterValidation: token) else { return false }
        return !(self.issuer ?? claims.issuer).isSameBytes(as: claims.issuer)
            || !(self.subject ?? claims.subject).isSameBytes(as: claims.subject)
    }
}

extension Error {
    /// Whether a token that has not expired may still be used after this failure of a refresh.
    fileprivate var leavesTokensInUse: Bool {
        guard let error = self as? OAuthError else { return self is TokenStoreError }
        return error.kind != .sessionEnded && error.step != .idToken
    }
}

extension Error {
    /// Whether an ID token shows that its tokens belong to another account.
    fileprivate var isOfAnotherAccount: Bool {
        let kinds: Set<OAuthError.Kind> = [
            .issuerMismatch, .subjectMismatch, .audienceMismatch, .authorizedPartyMismatch, .nonceMismatch,
        ]
        guard let error = self as? OAuthError else { return false }
        return error.step == .idToken && kinds.contains(error.kind)
    }

    /// Turns an error of the ID token or its keys into an error of the refresh. The session continues.
    fileprivate var asRefreshError: any Error {
        guard var error = self as? OAuthError, [.idToken, .keys].contains(error.step) else { return self }
        error.step = .refresh
        error.hint = (error.hint.map { $0 + "; " } ?? "") + "the session is kept, and the next refresh tries again"
        return error
    }
}

extension OAuthError {
    /// Turns the provider's rejection of a refresh token into `sessionEnded`.
    fileprivate var endingSession: OAuthError {
        meaning(.sessionEnded, "the provider ended the session", hint: "sign in again")
    }
}
