public import CarnetProtocol

/// How far a sign-out goes.
public enum SignOut: Sendable {
    /// The tokens are forgotten here.
    case local
    /// They are revoked at the provider first, the refresh token before the access token (RFC 7009, section 2.1).
    case revoke
    /// As `revoke`, and the user's session at the provider is to be ended at a page.
    case everywhere
}

/// What a sign-out did. The tokens are forgotten in any case.
public struct SignOutOutcome: Sendable {
    public var isRevoked = false
    /// The page that ends the session at the provider; it may carry the ID token.
    public var endSessionURL: Secret?
    /// What comes back with the browser to the registration's post-logout redirect URI, for
    /// `EndSessionRequest.isReturn(_:answering:at:)`.
    public var endSessionState: Secret?
    /// What could not be done.
    public var failures: [OAuthError] = []
}

extension Session {
    /// Signs out. What a refresh that is under way brings is not kept.
    ///
    /// Before tokens are revoked, a refresh that is under way ends, so that its tokens are revoked too. If another process
    /// is refreshing for longer than the store waits, the tokens of before are revoked, and `failures` says so.
    ///
    /// - Throws: `TokenStoreError` if the tokens could not be forgotten; `CancellationError` if the task was cancelled
    ///   before anything was done.
    public func signOut(_ extent: SignOut = .local) async throws -> SignOutOutcome {
        defer { forget() }
        guard extent != .local else {
            try await client.forget(key)
            return SignOutOutcome()
        }
        return try await client.withLockIfFree(on: key) { [client, key] locked in
            guard let held = try await client.held(key) else { return SignOutOutcome() }
            var outcome = await Self.end(held.newest, extent, with: client)
            try await client.forget(key)
            if let locked {
                outcome.isRevoked = false
                outcome.failures.append(
                    OAuthError(
                        .revocation, .storage,
                        "tokens that another process is receiving are not revoked: \(locked.reason)",
                        hint: "they are discarded there"))
            }
            return outcome
        }
    }

    /// Nobody is given the tokens any more that were given last.
    func forget() {
        forgetLatest()
        stateChanges.change(to: .ended)
    }

    /// Ends what the provider keeps, as far as it goes.
    private static func end(
        _ connection: Connection,
        _ extent: SignOut,
        with client: OAuthClient
    ) async -> SignOutOutcome {
        var outcome = SignOutOutcome()
        let tokens = connection.tokens
        let provider: Provider
        let bounds: CredentialBounds
        do {
            try client.checkOwner(of: connection)
            provider = try await client.provider(for: connection)
            bounds = try await client.bounds(of: connection)
        } catch {
            outcome.failures.append(OAuthError(revocationFailure: error))
            return outcome
        }
        if extent == .everywhere {
            do throws(OAuthError) {
                if let page = provider.endpoints[.endSession] {
                    try bounds.check(page, at: .signOut, key: "endpoints.end_session")
                }
                let page = try EndSessionRequest(
                    for: tokens, at: provider, as: client.registration, random: client.random)
                (outcome.endSessionURL, outcome.endSessionState) = (page.url, page.state)
            } catch {
                outcome.failures.append(error)
            }
        }
        outcome.failures += await client.disconnect(connection)
        outcome.isRevoked = true
        for kind in provider.revokedTokens {
            guard let token = kind == .refreshToken ? tokens.refreshToken : tokens.accessToken else { continue }
            do {
                // Where the token speaks for the client, one that is bound to a key takes a proof of it.
                let key = provider.revocationTokenPlacement == nil ? nil : connection.dpopKey
                let (answer, request) = try await client.send(within: bounds, provedBy: key, accessToken: token) {
                    try TokenRequest.revoke(
                        token, hint: kind.rawValue, isBound: tokens.isSenderConstrained, at: provider,
                        as: client.registration, random: client.random, now: client.clock.now)
                }
                try RevocationResponse.judge(answer, to: request, from: provider)
            } catch {
                outcome.isRevoked = false
                let failure = OAuthError(revocationFailure: error)
                // A missing endpoint is missing for both tokens.
                if !outcome.failures.contains(failure) { outcome.failures.append(failure) }
            }
        }
        return outcome
    }
}

extension OAuthError {
    /// What kept a token from being revoked; a cancelled request too, because the tokens are forgotten all the same.
    fileprivate init(revocationFailure error: any Error) {
        self =
            error as? OAuthError
            ?? OAuthError(
                .revocation, .cancelled, "the revocation was cut short", hint: "the tokens are forgotten here")
    }
}

extension OAuthClient {
    /// Removes the tokens of an account, whatever they are by now.
    nonisolated func forget(_ key: ConnectionKey) async throws {
        try await store.remove(key)
        unsaved[key] = nil
    }

    /// Runs `body` with the store's lock, or without it if another process keeps it for too long: for what the user
    /// decided, and what compares revisions.
    ///
    /// - Parameter body: Is given why there is no lock.
    nonisolated func withLockIfFree<Result: Sendable>(
        on key: ConnectionKey,
        _ body: @escaping @Sendable (_ locked: TokenStoreError?) async throws -> Result
    ) async throws -> Result {
        do {
            return try await store.withLock(on: key) { try await body(nil) }
        } catch let error as TokenStoreError where error.kind == .locked {
            return try await body(error)
        }
    }
}
