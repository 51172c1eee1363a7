import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// One refresh of an account's stored tokens. It runs with the store's lock.
struct Refresh: Sendable {
    private let stored: StoredConnection
    private let provider: FilledProvider
    private let client: OAuthClient
    private let refreshToken: Secret
    private let bounds: CredentialBounds

    /// - Throws: `OAuthError` if there is nothing to refresh with; `TokenStoreError` if new tokens could not be saved.
    init(of stored: StoredConnection, at provider: FilledProvider, client: OAuthClient) async throws {
        let tokens = stored.connection.tokens
        let isAccessToken = provider.refresh.using == .accessToken
        guard let refreshToken = isAccessToken ? tokens.accessToken : tokens.refreshToken else {
            throw OAuthError(
                .refresh, .noRefreshToken, "the access token expired, and the provider issued no refresh token",
                descriptorKey: "scopes.offline")
        }
        try await client.store.prepareToSave(stored.connection.key)
        (self.stored, self.provider, self.client, self.refreshToken) = (stored, provider, client, refreshToken)
        bounds = try await client.bounds(of: stored.connection)
    }

    /// - Returns: The refreshed tokens, or those of another process that refreshed first.
    /// - Throws: `LockLost`; `OAuthError`; `TokenStoreError`.
    func run() async throws -> Connection {
        let (incoming, request) = try await send {
            try TokenRequest.refresh(
                refreshToken, resources: stored.connection.resources ?? [], in: client.context(at: provider))
        }
        var response: TokenResponse
        do {
            response = try TokenResponse(
                validating: incoming, to: request, from: provider, refreshing: stored.connection.tokens)
        } catch {
            guard error.kind == .serverError, error.server?.code == "invalid_grant" else {
                let end = error.pause(at: client.clock.now).map { client.providerClock.now + $0 }
                try await save(
                    TokenResponse.refreshToken(in: incoming, to: request, from: provider), in: stored, pausedUntil: end)
                throw error
            }
            // If the lock was lost meanwhile, the rejection may be due to another process's refresh.
            try await holdLock(for: .zero)
            guard try await !client.store.remove(stored.connection.key, ifRevision: stored.revision),
                let newer = try await client.store.load(stored.connection.key)
            else {
                let end = stored.connection.tokens.refreshTokenExpiresAt
                let reason = end.flatMap { $0 > client.providerClock.now ? nil : $0.formatted(.iso8601) }
                throw error.meaning(
                    .sessionEnded,
                    "the provider ended the session" + (reason.map { ": the refresh token expired at \($0)" } ?? ""))
            }
            return newer.connection
        }
        let refreshed: Connection
        var latest = stored
        do {
            let tokens = stored.connection.tokens
            try response.decryptIDToken(
                for: client.registration, from: provider,
                requested: tokens.idToken == nil ? tokens.scopes : tokens.scopes + ["openid"])
            if !stored.connection.isContradicted(by: response.idToken), sendsMore(after: response) {
                latest = await savedAtOnce(response)
            }
            refreshed = try await completed(response, after: latest.connection)
        } catch {
            guard !error.isOfAnotherAccount, !stored.connection.isContradicted(by: response.idToken) else {
                if latest.revision != stored.revision {
                    _ = try await client.store.save(stored.connection, replacing: latest.revision)
                }
                throw error
            }
            try await save(response.refreshToken, in: latest)
            throw error.asRefreshError
        }
        return try await client.saveRefreshed(refreshed, replacing: latest)
    }

    /// Saves the refresh token of an otherwise unusable response: the old one may be invalid by now, and the next
    /// attempt needs the new one.
    ///
    /// - Parameter pausedUntil: When the server asked for the next refresh, for other processes. They lose little if only
    ///   that cannot be saved.
    private func save(_ refreshToken: Secret?, in latest: StoredConnection, pausedUntil end: Date? = nil) async throws {
        var connection = latest.connection
        if let end { connection.pausedUntil = end }
        guard let refreshToken, refreshToken != connection.tokens.refreshToken else {
            if connection != latest.connection {
                _ = try? await client.store.save(connection, replacing: latest.revision)
            }
            return
        }
        connection.tokens.refreshToken = refreshToken
        _ = try await client.saveRefreshed(connection, replacing: latest)
    }

    /// Saves the refresh token of a response before anything else is sent: a process that is killed during the further
    /// requests then loses no session. A save that fails changes nothing, because a later one follows.
    private func savedAtOnce(_ response: TokenResponse) async -> StoredConnection {
        var saved = stored
        saved.connection.tokens.takeRefreshToken(
            of: stored.connection.tokens.merging(
                response, rotation: provider.refresh.rotation, now: client.providerClock.now))
        guard saved.connection != stored.connection,
            let revision = try? await client.store.save(saved.connection, replacing: stored.revision)
        else { return stored }
        saved.revision = revision
        return saved
    }

    /// - Returns: As `TokenStore.holdLock(on:for:)`.
    /// - Throws: `LockLost`; `TokenStoreError`.
    @discardableResult
    private func holdLock(for duration: Duration) async throws -> ContinuousClock.Instant? {
        do {
            return try await client.store.holdLock(on: stored.connection.key, for: duration)
        } catch let error as TokenStoreError where error.kind == .conflict {
            throw LockLost()
        }
    }

    /// Sends a request with a token for one use, while the store's lock outlasts the exchange.
    ///
    /// - Throws: `LockLost` if it does not; then nothing was sent.
    private func send(_ make: @Sendable () throws -> PreparedRequest) async throws -> OAuthClient.Exchange {
        let limit = client.exchanger.limits.deadline
        // Half as long again, for the connection before and the save after.
        let end = try await holdLock(for: limit + limit / 2)
        do {
            return try await client.send(
                within: bounds, provedBy: stored.connection.dpopKey, before: end.map { $0 - limit }, make)
        } catch let error as TransportError where error.kind == .tooLate {
            throw LockLost()
        }
    }

    /// Whether `completed` sends requests for this response: for keys, further exchange steps or the expiry.
    private func sendsMore(after response: TokenResponse) -> Bool {
        if response.idToken != nil, !client.cache.hasKeys { return true }
        return provider.exchange.contains(where: \.value.repeatsAfterRefresh)
            || provider.refresh.expiryFrom == .introspection
    }

    /// A connection with refreshed tokens, after the ID token is validated and the exchange steps are made.
    private func completed(_ response: TokenResponse, after old: Connection) async throws -> Connection {
        var refreshed = old
        refreshed.pausedUntil = nil
        refreshed.tokens = old.tokens.merging(
            response, rotation: provider.refresh.rotation, now: client.providerClock.now)
        refreshed.merge(response.values)
        if let token = response.idToken {
            let expectations = try IDTokenExpectations(
                from: provider.discovered, as: client.registration,
                nonce: old.nonce.map { .continuing($0) } ?? .ofRefresh, accessToken: response.accessToken,
                subject: old.subject, continuedIssuer: old.issuer)
            _ = try await client.validate(token, expecting: expectations)
        }
        let discovered = provider.discovered
        if provider.exchange.contains(where: \.value.repeatsAfterRefresh) {
            let (tokens, values) = try await client.makingExchangeSteps(
                refreshed.tokens, ConnectionValues(of: refreshed), provedBy: refreshed.dpopKey, at: provider,
                within: bounds, isRefresh: true)
            refreshed.tokens = tokens
            refreshed.merge(values)
        }
        // A value that cannot be derived stays as it was.
        refreshed.merge(client.derived(from: ConnectionValues(of: refreshed), at: discovered))
        refreshed.tokens = await client.findingExpiry(
            of: refreshed.tokens, at: client.filled(discovered, with: ConnectionValues(of: refreshed)), within: bounds)
        return refreshed
    }
}

/// Another process may hold the store's lock: nothing was sent, and nothing removed.
struct LockLost: Error {}

extension OAuthClient {
    /// Saves refreshed tokens. If the store fails, they stay in memory until the next call.
    func saveRefreshed(_ refreshed: Connection, replacing old: StoredConnection) async throws -> Connection {
        do {
            _ = try await store.save(refreshed, replacing: old.revision)
            unsaved[refreshed.key] = nil
            return refreshed
        } catch let error as TokenStoreError where error.kind == .conflict {
            // The other writer's tokens count, such as those of a new sign-in. After a sign-out there are none.
            unsaved[refreshed.key] = nil
            guard let newer = try await store.load(refreshed.key) else {
                throw OAuthError(.refresh, .sessionEnded, "the session was ended by another process")
            }
            guard newer.connection.tokens == old.connection.tokens else { return newer.connection }
            var refreshed = refreshed
            refreshed.browser = newer.connection.browser
            return try await saveRefreshed(refreshed, replacing: newer)
        } catch {
            unsaved[refreshed.key] = UnsavedConnections.Entry(connection: refreshed, revision: old.revision)
            let reason = (error as? TokenStoreError)?.reason ?? "the store failed"
            throw OAuthError(.storage, .storage, "the refreshed tokens could not be saved: \(reason)")
        }
    }
}

extension Connection {
    /// The nonce of the sign-in, if the stored ID token contains it.
    fileprivate var nonce: Secret? {
        self.tokens.idToken.flatMap { try? IDToken(storedAfterValidation: $0) }?.claims[stated: "nonce"]?.string.map {
            Secret($0)
        }
    }

    /// Whether a new ID token names another account. It is rejected even before its signature is checked.
    fileprivate func isContradicted(by token: Secret?) -> Bool {
        guard let token, let claims = try? IDToken(storedAfterValidation: token), !claims.subject.isEmpty else {
            return false
        }
        return !(self.issuer ?? claims.issuer).isSameBytes(as: claims.issuer)
            || !(self.subject ?? claims.subject).isSameBytes(as: claims.subject)
    }
}

extension Error {
    /// Whether an ID token shows that its tokens belong to another account. Issuer and subject alone are the account.
    fileprivate var isOfAnotherAccount: Bool {
        guard let error = self as? OAuthError else { return false }
        return error.step == .idToken && [.issuerMismatch, .subjectMismatch].contains(error.kind)
    }

    /// Turns an error of the ID token or its keys into an error of the refresh. The session continues.
    fileprivate var asRefreshError: any Error {
        guard var error = self as? OAuthError, [.idToken, .keys].contains(error.step) else { return self }
        error.step = .refresh
        return error
    }
}
