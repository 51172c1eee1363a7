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
    /// Signs out. A refresh that is under way ends first, so that its tokens are revoked and forgotten too.
    ///
    /// - Throws: `TokenStoreError` if the tokens could not be forgotten; `CancellationError` if the task was cancelled
    ///   before anything was done.
    public func signOut(_ extent: SignOut = .local) async throws -> SignOutOutcome {
        defer { latest = nil }
        return try await client.store.withLock(on: key) { [client, key, stateChanges] in
            guard let held = try await client.held(key) else {
                stateChanges.change(to: .ended)
                return SignOutOutcome()
            }
            let outcome = extent == .local ? SignOutOutcome() : await Self.end(held.newest, extent, with: client)
            try await client.store.remove(key)
            client.unsaved[key] = nil
            stateChanges.change(to: .ended)
            return outcome
        }
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
        do {
            try client.checkOwner(of: connection)
            provider = try await client.provider(for: connection)
        } catch {
            outcome.failures.append(OAuthError(revocationFailure: error))
            return outcome
        }
        if extent == .everywhere {
            do throws(OAuthError) {
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
                let (answer, request) = try await client.send(provedBy: key, accessToken: token) {
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
