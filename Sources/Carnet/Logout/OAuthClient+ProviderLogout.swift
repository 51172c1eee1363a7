import CarnetFoundation
package import CarnetProtocol

extension OAuthClient {
    /// Ends the sessions that a provider's logout token names (OpenID Connect Back-Channel Logout, section 2.7).
    /// Their tokens are removed here; nothing is sent.
    ///
    /// - Parameters:
    ///   - form: The body of the POST.
    ///   - mediaType: Its `Content-Type`.
    /// - Returns: The accounts that were signed out; empty if there were none.
    /// - Throws: `OAuthError` at step `logout` for an invalid token, of kind `alreadyUsed` for a repeated one; at step
    ///   `keys` if the provider's keys are unavailable; `TokenStoreError`. After an error, no session was changed,
    ///   unless the store failed after the first of several.
    @discardableResult
    public func endSessions(byLogoutRequest form: [UInt8], mediaType: String?) async throws -> [ConnectionKey] {
        try await endSessions(namedBy: try BackChannelLogoutRequest.logoutToken(in: form, mediaType: mediaType))
    }

    /// - Parameter token: The `logout_token` of the POST.
    @discardableResult
    package func endSessions(namedBy token: Secret) async throws -> [ConnectionKey] {
        // Anybody can POST here, so an obviously invalid token causes no request.
        let ownExpectations = try LogoutTokenExpectations(from: provider.withoutMetadata, as: registration)
        try providerClock.onEitherClock { now throws(OAuthError) in
            try LogoutToken.checkUnverified(token, expecting: ownExpectations, now: now)
        }
        let expectations = try LogoutTokenExpectations(from: try await cache.provider(), as: registration)
        let isSecret = expectations.isSignedWithSecret
        let logout = try await verified(isSignedWithSecret: isSecret) { keys, now throws(OAuthError) in
            try LogoutToken(validating: token, with: keys, expecting: expectations, now: now)
        }
        let id = "\(registration.clientID) \(logout.session.issuer) \(logout.id)"
        // Remembered for as long as either clock would accept it.
        let behind = max(0, clock.now.timeIntervalSince(providerClock.now))
        guard try await usedTokens.use(id, until: logout.expiresAt + behind, now: clock.now) else {
            throw OAuthError(.logout, .alreadyUsed, "this logout token was used before")
        }
        do {
            // Algorithms that the descriptor names are all accepted.
            let isAnySigned = !provider.idToken.algorithms.isEmpty
            return try await end(logout.session) { connection throws(OAuthError) in
                if !isAnySigned { try logout.checkAlgorithm(against: connection.tokens.idToken) }
            }
        } catch {
            // The provider may send it again.
            try? await usedTokens.forget(id)
            throw error
        }
    }

    /// Ends the session that a front-channel logout request names.
    ///
    /// - Returns: The accounts that were signed out; empty if there were none.
    /// - Throws: `TokenStoreError`; `OAuthError` of kind `unsupported` if the store has no index of sessions. Anybody
    /// can send such a request, and without an index each would decrypt every record.
    @discardableResult
    package func endSessions(namedBy logout: FrontChannelLogout) async throws -> [ConnectionKey] {
        try requireSessionIndex()
        return try await end(logout.session)
    }

    package func requireSessionIndex() throws(OAuthError) {
        guard !(store is any SessionIndexedTokenStore) else { return }
        throw OAuthError(
            .configuration, .unsupported,
            "front-channel logout needs a token store with an index of sessions; \(type(of: store)) has none",
            descriptorKey: "logout.front_channel",
            hint: "use a database store, or remove logout.front_channel from the descriptor")
    }

    /// - Parameter check: Rejects the request for one session. Its error is thrown if no other session ends.
    private func end(
        _ ended: EndedSession, _ check: (Connection) throws(OAuthError) -> Void = { _ in }
    ) async throws -> [ConnectionKey] {
        var keys: [ConnectionKey] = []
        var refusal: OAuthError?
        for key in try await store.sessions(at: provider.id.rawValue, endedBy: ended) {
            do {
                if try await end(ended, of: key, check) { keys.append(key) }
            } catch let error as OAuthError {
                refusal = error
            }
        }
        if keys.isEmpty, let refusal { throw refusal }
        return keys
    }

    /// It takes no lock, which a stopped process could hold during a refresh. It removes exactly the record that was
    /// read.
    private func end(
        _ ended: EndedSession, of key: ConnectionKey, _ check: (Connection) throws(OAuthError) -> Void
    ) async throws -> Bool {
        while let stored = try await store.load(key) {
            // There may be a new sign-in by now, and other clients may use the same store.
            guard stored.connection.isOver(by: ended), (try? checkOwner(of: stored.connection)) != nil else {
                return false
            }
            try check(stored.connection)
            if try await store.remove(key, ifRevision: stored.revision) { break }
        }
        unsaved[key] = nil
        for set in tokenSets(of: key) {
            try await forget(set)
            await sharedSession(of: set)?.forget()
        }
        await sharedSession(of: key)?.forget()
        return true
    }
}
