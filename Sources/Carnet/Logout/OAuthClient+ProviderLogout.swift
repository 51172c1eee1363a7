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
        // Anybody can post here: nothing is requested for what cannot be a logout token for this client.
        try LogoutToken.checkUnverified(
            token, expecting: LogoutTokenExpectations(from: provider, as: registration), now: clock.now)
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
    /// - Throws: `TokenStoreError`; `OAuthError` of kind `unsupported` if the store has no index of sessions: anybody can
    ///   send such a request, and each would open every record.
    @discardableResult
    package func endSessions(namedBy logout: FrontChannelLogout) async throws -> [ConnectionKey] {
        try requireSessionIndex()
        return try await end(logout.session)
    }

    package nonisolated func requireSessionIndex() throws(OAuthError) {
        guard !store.hasSessionIndex else { return }
        throw OAuthError(
            .configuration,
            .unsupported,
            "front-channel logout needs a token store with an index of sessions, which \(type(of: store)) has not",
            descriptorKey: "logout.front_channel",
            hint: "use a store in a database, or leave logout.front_channel out"
        )
    }

    private func end(_ ended: EndedSession) async throws -> [ConnectionKey] {
        var keys: [ConnectionKey] = []
        for key in try await store.keys(of: provider.id.rawValue, endedBy: ended) {
            if try await end(ended, of: key) { keys.append(key) }
        }
        return keys
    }

    /// Needs no lock, for which a process that was stopped in a refresh could keep it waiting: what is removed is the
    /// record that was read.
    private func end(_ ended: EndedSession, of key: ConnectionKey) async throws -> Bool {
        while let stored = try await store.load(key) {
            // Another sign-in may have come meanwhile, and other clients may keep their sessions in one store.
            guard stored.connection.isOver(by: ended), (try? checkOwner(of: stored.connection)) != nil else {
                return false
            }
            if try await store.remove(key, ifRevision: stored.revision) { break }
        }
        unsaved[key] = nil
        await heldSession(of: key)?.forget()
        return true
    }
}
