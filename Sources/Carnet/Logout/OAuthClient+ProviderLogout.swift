public import CarnetProtocol

extension OAuthClient {
    /// Ends the sessions that a provider says are over (OpenID Connect Back-Channel Logout, section 2.7): their tokens are
    /// forgotten here, refresh tokens too, and nothing is sent.
    ///
    /// - Parameter token: The `logout_token` that was posted; `BackChannelLogoutRequest` takes it out of the request.
    /// - Returns: The accounts that were signed out; none if nobody was signed in.
    /// - Throws: `OAuthError` at step `logout` for a token that is not believed, of kind `alreadyUsed` for one that came
    ///   before; at step `keys` if the provider's keys cannot be had; `TokenStoreError`. No session was touched then,
    ///   unless the store failed between two.
    @discardableResult
    public func endSessions(namedBy token: Secret) async throws -> [ConnectionKey] {
        let expectations = try LogoutTokenExpectations(from: try await connection.provider(), as: registration)
        let logout: LogoutToken
        if expectations.isSignedWithSecret {
            logout = try LogoutToken(
                validating: token, with: JSONWebKeySet.none, expecting: expectations, now: clock.now)
        } else {
            logout = try await connection.verifying { [clock] keys throws(OAuthError) in
                try LogoutToken(validating: token, with: keys, expecting: expectations, now: clock.now)
            }
        }
        let id = "\(registration.clientID) \(logout.session.issuer) \(logout.id)"
        guard try await usedTokens.use(id, until: logout.expiresAt, now: clock.now) else {
            throw OAuthError(.logout, .alreadyUsed, "the logout token came before")
        }
        do {
            return try await end(logout.session)
        } catch {
            // The provider may send it again.
            try? await usedTokens.forget(id)
            throw error
        }
    }

    /// Ends the session that a front-channel logout names.
    ///
    /// - Returns: The accounts that were signed out; none if nobody was signed in with that session.
    /// - Throws: `TokenStoreError`.
    @discardableResult
    public func endSessions(namedBy logout: FrontChannelLogout) async throws -> [ConnectionKey] {
        try await end(logout.session)
    }

    private func end(_ ended: EndedSession) async throws -> [ConnectionKey] {
        var keys: [ConnectionKey] = []
        for key in try await store.keys(of: provider.id.rawValue, endedBy: ended) {
            let session = heldSession(of: key)
            let isEnded = try await store.withLock(on: key) { [self, store, unsaved] in
                // Another sign-in may have come meanwhile, and other clients may keep their sessions in one store.
                guard let stored = try await store.load(key)?.connection, stored.isOver(by: ended),
                    (try? checkOwner(of: stored)) != nil
                else { return false }
                try await store.remove(key)
                unsaved[key] = nil
                session?.stateChanges.change(to: .ended)
                return true
            }
            if isEnded { keys.append(key) }
        }
        return keys
    }
}
