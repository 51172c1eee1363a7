import CarnetDescriptors
public import CarnetProtocol

/// What a sign-out includes.
public enum SignOut: Sendable {
    /// The tokens are removed from the store.
    case local
    /// The tokens are also revoked at the provider, the refresh token before the access token (RFC 7009, section
    /// 2.1).
    case revoke
    /// As `revoke`. In addition, a page ends the user's session at the provider: show `SignOutOutcome.endSessionURL`.
    case everywhere
}

/// The result of a sign-out. The tokens are removed from the store in any case.
public struct SignOutOutcome: Sendable {
    /// Whether the provider revoked the tokens; `false` without a failure if it has no revocation endpoint.
    public var isRevoked = false
    /// The page that ends the session at the provider. It may contain the ID token.
    public var endSessionURL: Secret?
    /// The `state` that the browser brings back to the registration's post-logout redirect URI, for
    /// `EndSessionRequest.isReturn(_:state:at:)`.
    public var endSessionState: Secret?
    /// The parts of the sign-out that failed, for example the revocation.
    public var failures: [OAuthError] = []
}

extension Session {
    /// Signs out. The tokens of a refresh in progress are not saved.
    ///
    /// Before tokens are revoked, a refresh in progress is awaited, so that its tokens are revoked too. If another
    /// process refreshes for longer than the store waits, the earlier tokens are revoked, and `failures` reports it.
    ///
    /// - Throws: `TokenStoreError` if the tokens could not be removed; `CancellationError` if the task was cancelled
    /// before anything was done.
    public func signOut(_ extent: SignOut = .local) async throws -> SignOutOutcome {
        defer { forget() }
        guard extent != .local else {
            for set in client.tokenSets(of: key) { await client.sharedSession(of: set)?.forget() }
            try await client.forget(key)
            return SignOutOutcome()
        }
        var ofSets: [OAuthError] = []
        for key in client.tokenSets(of: key) {
            if let set = try await client.session(of: key) { ofSets += try await set.signOut(.revoke).failures }
        }
        let failures = ofSets
        return try await client.withLockIfFree(on: key) { [client, key] locked in
            guard let loaded = try await client.loaded(key) else { return SignOutOutcome() }
            var outcome = await Self.end(loaded.newest, extent, with: client)
            outcome.isRevoked = outcome.isRevoked && failures.isEmpty
            for failure in failures where !outcome.failures.contains(failure) { outcome.failures.append(failure) }
            try await client.forget(key)
            if let locked {
                outcome.isRevoked = false
                outcome.failures.append(
                    OAuthError(
                        .revocation, .storage,
                        "another process is refreshing the tokens; it discards the new ones, and does not revoke them: \(locked.reason)"
                    ))
            }
            return outcome
        }
    }

    /// The tokens in memory are not returned any more.
    func forget() {
        forgetLatest()
        stateChanges.change(to: .ended)
    }

    /// Ends the session at the provider, as far as possible.
    private static func end(
        _ connection: Connection, _ extent: SignOut, with client: OAuthClient
    ) async -> SignOutOutcome {
        var outcome = SignOutOutcome()
        let tokens = connection.tokens
        let provider: FilledProvider
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
        var revoked: [RevokedToken] = []
        for kind in provider.revocation.tokens {
            guard let token = kind == .refreshToken ? tokens.refreshToken : tokens.accessToken else { continue }
            do {
                // A token that is bound to a key and replaces client authentication needs a proof.
                let key = provider.revocation.tokenIn == nil ? nil : connection.dpopKey
                let (incoming, request) = try await client.send(within: bounds, provedBy: key, accessToken: token) {
                    try TokenRequest.revoke(
                        token, hint: kind.rawValue, isSenderConstrained: tokens.isSenderConstrained,
                        in: client.context(at: provider))
                }
                try RevocationResponse.validate(incoming, to: request, from: provider)
                revoked.append(kind)
            } catch {
                // The revocation of the refresh token has ended the access token too (RFC 7009, section 2.1).
                let isOver = kind == .accessToken && revoked.contains(.refreshToken)
                if let error = error as? OAuthError, error.step == .revocation, error.status == 400 {
                    if isOver ? error.meansNoToken : error.server?.code == "invalid_token" { continue }
                    // It stays valid until it expires: no server has to revoke it (section 2).
                    if isOver, error.server?.code == "unsupported_token_type" {
                        outcome.isRevoked = false
                        continue
                    }
                }
                outcome.isRevoked = false
                let failure = OAuthError(revocationFailure: error)
                // Revocation is optional for a server (RFC 7009): without an endpoint, the tokens stay valid until they expire.
                if failure.kind == .missingEndpoint, !provider.endpoints.names(.revocation) { break }
                if !outcome.failures.contains(failure) { outcome.failures.append(failure) }
            }
        }
        return outcome
    }
}

extension OAuthError {
    /// Whether a server that knows the client refused a token as no token of its own.
    fileprivate var meansNoToken: Bool {
        !["invalid_client", "unauthorized_client", "unsupported_token_type"].contains(server?.code ?? "")
    }

    /// The reason why a token was not revoked; also for a cancelled request, because the tokens are removed anyway. Nothing
    /// is left to try again with, whenever the server would take it.
    fileprivate init(revocationFailure error: any Error) {
        self = error as? OAuthError ?? OAuthError(.revocation, .cancelled, "the revocation was cancelled")
        if retryAt != nil { (retryAt, hint) = (nil, nil) }
    }
}

extension OAuthClient {
    /// Removes the tokens of an account unconditionally.
    func forget(_ key: ConnectionKey) async throws {
        for set in tokenSets(of: key) {
            try await store.remove(set)
            unsaved[set] = nil
        }
        try await store.remove(key)
        unsaved[key] = nil
    }

    /// Runs `body` with the store's lock, or without it if another process holds it for too long: for a user's
    /// decision, and for operations that compare revisions.
    ///
    /// - Parameter body: Receives the reason why there is no lock.
    func withLockIfFree<Result: Sendable>(
        on key: ConnectionKey, _ body: @escaping @Sendable (_ locked: TokenStoreError?) async throws -> Result
    ) async throws -> Result {
        do {
            return try await store.withLock(on: key) { try await body(nil) }
        } catch let error as TokenStoreError where error.kind == .locked {
            return try await body(error)
        }
    }
}
