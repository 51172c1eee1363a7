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
        let stored = try await stored()
        var connection = stored.connection
        let margin = TimeInterval(client.provider.refreshMargin)
        do {
            if client.unsaved[key]?.revision == stored.revision {
                connection = try await refreshed(from: connection)
            }
            guard connection.tokens.isExpiring(within: margin, at: client.clock.now) else { return connection }
            return try await refreshed(from: connection)
        } catch  where error.leavesTokensInUse {
            // Inside the margin the token still serves; a failure to renew it early is no failure yet.
            guard connection.tokens.isExpiring(within: 0, at: client.clock.now) else { return connection }
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
            return try await body(try await refreshed(from: connection))
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
        defer { refreshing = nil }
        let provider = try await client.provider(for: stale)
        return try await client.store.withLock(on: key) { [client, key] in
            let unsaved = client.unsaved[key]
            guard let stored = try await client.store.load(key) else {
                client.unsaved[key] = nil
                throw OAuthError(.refresh, .sessionEnded, "the session was ended elsewhere", hint: "sign in again")
            }
            if let unsaved, unsaved.revision == stored.revision {
                return try await Self.save(unsaved.connection, replacing: unsaved.revision, client: client)
            }
            client.unsaved[key] = nil
            // Another process came first: its tokens are newer than the ones that this caller found wanting.
            guard stored.connection.tokens == stale.tokens else { return stored.connection }
            try client.checkOwner(of: stored.connection)
            return try await Self.renew(stored, client: client, provider: provider)
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
        let request = try TokenRequest.refresh(
            refreshToken, at: provider, as: client.registration, random: client.random, now: client.clock.now)
        try await client.store.prepareToSave(stored.connection.key)
        let answer = try await client.exchanger.send(request)
        let response: TokenResponse
        do {
            response = try TokenResponse(judging: answer, to: request, from: provider)
                .decryptingIDToken(for: client.registration, from: provider)
        } catch {
            guard error.kind == .serverError, error.server?.code == "invalid_grant" else { throw error }
            // Whoever lost the store's lock meanwhile was refused for another's success.
            if let newer = try await client.store.load(stored.connection.key), newer.revision != stored.revision {
                return newer.connection
            }
            try await client.store.remove(stored.connection.key)
            throw error.endingSession
        }
        if let token = response.idToken {
            let expectations = try IDTokenExpectations(
                from: provider,
                as: client.registration,
                nonce: stored.connection.nonce.map { .continuing($0) } ?? .ofRefresh,
                accessToken: response.accessToken,
                subject: stored.connection.subject,
                continuedIssuer: stored.connection.issuer
            )
            _ = try await client.validate(token, expecting: expectations)
        }
        var renewed = stored.connection
        renewed.tokens = stored.connection.tokens.merging(
            response, rotation: provider.refreshRotation, now: client.clock.now)
        renewed.keep(response.values)
        let discovered = try await client.connection.provider()
        if discovered.exchange.contains(where: \.value.repeatsAfterRefresh) {
            let (tokens, values) = try await client.exchanged(
                renewed.tokens, HeldValues(of: renewed), at: discovered, isRefresh: true)
            renewed.tokens = tokens
            renewed.keep(values)
        }
        renewed.keep(client.derivedAgain(renewed, at: discovered))
        return try await save(renewed, replacing: stored.revision, client: client)
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

extension TokenSet {
    /// The token that a refresh exchanges.
    fileprivate func credential(for provider: Provider) -> Secret? {
        switch provider.refreshCredential {
        case .refreshToken: refreshToken
        case .accessToken: accessToken
        }
    }
}

extension Connection {
    /// The nonce of the sign-in, if the ID token that is held repeats it.
    fileprivate var nonce: Secret? {
        tokens.idToken.flatMap { try? IDToken(storedAfterValidation: $0) }?.claims["nonce"]?.string.map { Secret($0) }
    }
}

extension Error {
    /// Whether a token that has not ended may still be given after this failure of a renewal.
    fileprivate var leavesTokensInUse: Bool {
        guard let error = self as? OAuthError else { return self is TokenStoreError }
        return error.kind != .sessionEnded && error.step != .idToken
    }
}

extension OAuthError {
    /// The provider's refusal of a refresh token, said as what it means.
    fileprivate var endingSession: OAuthError {
        var error = self
        error.kind = .sessionEnded
        error.message = "the provider ended the session"
        error.hint = "sign in again"
        return error
    }
}
