import CarnetDescriptors
import CarnetFoundation
public import CarnetProtocol

/// Incremental authorization: a signed-in account grants more scopes.
extension Session {
    /// Asks the user for more scopes through a user agent, unless all were granted before. The request includes the
    /// granted scopes, because many providers replace the grant.
    ///
    /// - Returns: The tokens. Their `scopes` are the granted ones.
    /// - Throws: As `completeRequestingScopes(_:for:)`; `CancellationError`.
    public func requestScopes(
        _ scopes: [String],
        with agent: any UserAgent,
        options: AuthorizationOptions = AuthorizationOptions()
    ) async throws -> TokenSet {
        let old = try await stored().connection
        let wanted = old.tokens.scopes(adding: scopes)
        guard wanted != old.tokens.scopes else { return try await tokens() }
        _ = try await client.signIn(
            with: agent, options: options.requesting(wanted, like: old), account: key.account, continuing: old,
            choosing: nil)
        return try await tokens()
    }

    /// Begins a request for more scopes, for a program whose user has a separate browser. The result contains the
    /// authorization URL, and the data to keep until the callback.
    ///
    /// - Throws: `OAuthError`, `TokenStoreError`.
    public func beginRequestingScopes(
        _ scopes: [String],
        options: AuthorizationOptions = AuthorizationOptions()
    ) async throws -> AuthorizationRequest {
        let old = try await stored().connection
        return try await client.beginSignIn(options.requesting(old.tokens.scopes(adding: scopes), like: old))
    }

    /// Completes a request for more scopes. If it fails, the tokens stay unchanged.
    ///
    /// - Throws: `OAuthError`: `subjectMismatch` if another account consented; `TokenStoreError`.
    public func completeRequestingScopes(
        _ callback: AuthorizationCallback,
        for pending: PendingAuthorization
    ) async throws -> TokenSet {
        let old = try await stored().connection
        _ = try await client.completeSignIn(callback, for: pending, account: key.account, continuing: old) { $0 }
        return try await tokens()
    }
}

extension AuthorizationOptions {
    /// The options of a request for more scopes. The tokens stay those of the same resource servers, unless a host names
    /// others.
    fileprivate func requesting(_ scopes: [String], like old: Connection) -> AuthorizationOptions {
        changing(self) { options in
            options.scopes = scopes
            if options.access.resource.isEmpty { options.access.resource = old.resources ?? [] }
        }
    }
}

extension TokenSet {
    fileprivate func scopes(adding further: [String]) -> [String] {
        further.reduce(into: scopes) { scopes, scope in if !scopes.contains(scope) { scopes.append(scope) } }
    }
}

extension Connection {
    /// Whether two connections belong to one user: issuer and subject, byte for byte (OpenID Connect Core, section
    /// 5.7).
    func isSameIdentity(as other: Connection) -> Bool {
        self.issuer.isSameBytes(as: other.issuer) && self.subject.isSameBytes(as: other.subject)
    }

    /// - Throws: Of kind `subjectMismatch` if an older connection belongs to another account.
    func requireAccount(of old: Connection?) throws(OAuthError) {
        guard let old, !isSameIdentity(as: old) else { return }
        throw OAuthError(
            .idToken, .subjectMismatch,
            "another account than \(old.key.account.quotable(limit: 80)) granted the scopes; nothing was changed")
    }

    /// This connection in place of an older one of the same account, with the values that only the older one has,
    /// unless they could now be sent to another server.
    ///
    /// - Throws: Of kind `subjectMismatch` if the accounts differ.
    func continuing(_ old: Connection) throws(OAuthError) -> Connection {
        try requireAccount(of: old)
        var new = self
        new.profile = self.profile ?? old.profile
        if isBound(like: old), isForResources(of: old) {
            if self.tokens.refreshToken == nil { new.tokens.takeRefreshToken(of: old.tokens) }
            new.tokens.idToken = self.tokens.idToken ?? old.tokens.idToken
        }
        if isWhollyBound(like: old) {
            new.values = old.values
            new.merge(self.values ?? [:])
        }
        return new
    }

    /// Whether two connections have tokens for the same resource servers (RFC 8707). A refresh token of others would bring
    /// tokens that these reject.
    private func isForResources(of other: Connection) -> Bool {
        Set((self.resources ?? []).map(ByteKey.init)) == Set((other.resources ?? []).map(ByteKey.init))
    }

    /// This connection of a new sign-in. If it has no refresh token, the earlier one of the same user is kept: some
    /// providers issue it at the first consent only.
    func inheritingRefreshToken(of old: Connection?) -> Connection {
        guard let old, self.subject != nil, isSameIdentity(as: old), self.clientID.isSameBytes(as: old.clientID),
            self.inputs.isSameBytes(as: old.inputs), self.environment.isSameBytes(as: old.environment),
            self.dpopKey == nil, old.dpopKey == nil, isBound(like: old), isForResources(of: old),
            self.tokens.refreshToken == nil, old.tokens.refreshToken != nil
        else { return self }
        return changing(self) { $0.tokens.takeRefreshToken(of: old.tokens) }
    }
}
