import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import Dispatch

extension Session {
    func stored() async throws -> StoredConnection {
        guard let stored = try await client.store.load(key) else {
            throw OAuthError(
                .storage, .sessionEnded, "\(key.account.quotable(limit: 80)) is not signed in to \(key.provider)")
        }
        try client.checkOwner(of: stored.connection)
        return stored
    }

    /// Changes the stored record, but not during a refresh. If another writer saves first, the change is made again with its
    /// record.
    ///
    /// - Parameter change: Returns whether there is anything to save.
    /// - Throws: `TokenStoreError`; `OAuthError` of kind `sessionEnded` if the tokens are gone; `CancellationError`.
    func update(_ change: @escaping @Sendable (inout Connection) -> Bool) async throws {
        try await client.withLockIfFree(on: key) { [client, key] _ in
            while true {
                let stored = try await self.stored()
                var connection = stored.connection
                if let unsaved = client.unsaved[key], unsaved.revision == stored.revision {
                    connection = unsaved.connection
                }
                guard change(&connection) else { return }
                do {
                    _ = try await client.store.save(connection, replacing: stored.revision)
                    client.unsaved[key] = nil
                    return
                } catch let error as TokenStoreError where error.kind == .conflict {
                    try Task.checkCancellation()
                }
            }
        }
    }

    package func validConnection() async throws -> Connection {
        try await reportingState {
            do {
                return try await cachingLatest { try await connectionRefreshedInTime() }
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
            if client.unsaved[key]?.revision == stored.revision { connection = try await refreshed(from: connection) }
            guard connection.tokens.isExpiring(within: client.refreshMargin, at: client.providerClock.now) else {
                return connection
            }
            // The record was just read, so the lock would bring nothing newer.
            if refreshing == nil {
                try client.checkPause(of: .account(key), step: .refresh, until: connection.pausedUntil)
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
        with connection: Connection, _ body: (Connection) async throws -> Result
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
        client.refreshes.enter()
        let task = Task {
            defer { client.refreshes.leave() }
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
            .refresh, .storage, "other processes took the account's lock several times")
    }

    /// How often the store's lock may be lost before a refresh fails.
    private static let lockAttempts = 3

    private func refreshTokens(_ stale: Connection, at provider: FilledProvider) async throws -> Connection {
        try await client.store.withLock(on: key) { [client, key] in
            var loaded = try await client.loaded(key)
            if let stored = loaded?.stored, let unsaved = loaded?.unsaved {
                let saved = try await client.saveRefreshed(unsaved, replacing: stored)
                // The record may contain only a new refresh token, saved from an unusable response.
                guard saved.tokens.isSameIssue(as: stale.tokens) else { return saved }
                loaded = try await client.loaded(key)
            }
            guard let stored = loaded?.stored else {
                throw OAuthError(
                    .refresh, .sessionEnded, "the session was ended by another process")
            }
            // Another process refreshed first: its tokens are newer than this caller's stale ones.
            guard stored.connection.tokens.isSameIssue(as: stale.tokens) else { return stored.connection }
            try client.checkOwner(of: stored.connection)
            try client.checkPause(of: .account(key), step: .refresh, until: stored.connection.pausedUntil)
            return try await client.pausing(.account(key)) {
                try await Telemetry.measuring("carnet.refresh", at: key.provider) {
                    try await Refresh(of: stored, at: provider, client: client).run()
                }
            }
        }
    }
}

extension TokenSet {
    /// Whether both access tokens came in one response; the refresh token may have been replaced since.
    fileprivate func isSameIssue(as other: TokenSet) -> Bool {
        accessToken == other.accessToken && issuedAt == other.issuedAt
    }
}

extension Error {
    /// Whether a token that has not expired may still be used after this failure of a refresh.
    fileprivate var leavesTokensInUse: Bool {
        guard let error = self as? OAuthError else { return self is TokenStoreError }
        return error.kind != .sessionEnded && error.step != .idToken
    }
}
