import CarnetDescriptors
public import CarnetProtocol

/// Incremental consent: an account that is signed in grants further scopes.
extension Session {
    /// Asks the person for further scopes through a user agent, unless all of them were granted. Those that were granted
    /// are asked for too, because many providers' answers replace them.
    ///
    /// - Returns: The tokens, whose `scopes` say what was granted.
    /// - Throws: As `completeGrant(_:for:)`; `CancellationError`.
    public func grantMore(
        scopes: [String],
        with agent: any UserAgent,
        options: AuthorizationOptions = AuthorizationOptions()
    ) async throws -> TokenSet {
        let old = try await stored().connection
        let wanted = old.tokens.scopes(adding: scopes)
        guard wanted != old.tokens.scopes else { return try await tokens() }
        var options = options
        options.scopes = wanted
        _ = try await client.signIn(
            with: agent, options: options, account: key.account, continuing: old, choosing: nil)
        return try await tokens()
    }

    /// Begins the same for a program whose user is at a browser of their own: an authorization URL, and what to keep
    /// until its callback.
    ///
    /// - Throws: `OAuthError`, `TokenStoreError`.
    public func beginGrant(
        scopes: [String],
        options: AuthorizationOptions = AuthorizationOptions()
    ) async throws -> AuthorizationRequest {
        var options = options
        options.scopes = try await stored().connection.tokens.scopes(adding: scopes)
        return try await client.beginSignIn(options)
    }

    /// Completes a grant. A failure leaves the tokens as they were.
    ///
    /// - Throws: `OAuthError`: `subjectMismatch` if another account consented; `TokenStoreError`.
    public func completeGrant(
        _ callback: AuthorizationCallback,
        for pending: PendingAuthorization
    ) async throws -> TokenSet {
        let old = try await stored().connection
        _ = try await client.completeSignIn(
            callback, for: pending, account: key.account, continuing: old, choosing: nil)
        return try await tokens()
    }
}

extension TokenSet {
    fileprivate func scopes(adding further: [String]) -> [String] {
        further.reduce(into: scopes) { scopes, scope in
            if !scopes.contains(scope) { scopes.append(scope) }
        }
    }
}

extension Connection {
    /// Whether two connections are of one user: issuer and subject, byte for byte (OpenID Connect Core, section 5.7).
    func isSameIdentity(as other: Connection) -> Bool {
        issuer.isSameBytes(as: other.issuer) && subject.isSameBytes(as: other.subject)
    }

    /// - Throws: Of kind `subjectMismatch` if an older connection is another account's.
    func requireAccount(of old: Connection?) throws(OAuthError) {
        guard let old, !isSameIdentity(as: old) else { return }
        throw OAuthError(
            .idToken,
            .subjectMismatch,
            "another account than \(old.key.account) granted the scopes",
            hint: "nothing was changed; choose the account \(old.key.account) at the provider"
        )
    }

    /// This connection in the place of an older one of the same account, with what only the older one has, unless that
    /// could now be sent elsewhere.
    ///
    /// - Throws: Of kind `subjectMismatch` if the accounts differ.
    func continuing(_ old: Connection) throws(OAuthError) -> Connection {
        try requireAccount(of: old)
        var new = self
        new.profile = profile ?? old.profile
        if isBound(like: old) {
            new.tokens.refreshToken = tokens.refreshToken ?? old.tokens.refreshToken
            new.tokens.idToken = tokens.idToken ?? old.tokens.idToken
        }
        if isWhollyBound(like: old) {
            new.values = old.values
            new.keep(values ?? [:])
        }
        return new
    }

    /// This connection of a new sign-in, with the refresh token of an earlier one if the same user signed in and none came:
    /// some providers give it at the first consent only.
    func keepingRefreshToken(of old: Connection?) -> Connection {
        guard let old, subject != nil, isSameIdentity(as: old), clientID.isSameBytes(as: old.clientID),
            inputs.isSameBytes(as: old.inputs), environment.isSameBytes(as: old.environment),
            dpopKey == nil, old.dpopKey == nil, isBound(like: old)
        else { return self }
        var new = self
        new.tokens.refreshToken = tokens.refreshToken ?? old.tokens.refreshToken
        return new
    }
}
