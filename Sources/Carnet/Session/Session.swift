public import CarnetDescriptors
public import CarnetProtocol

/// One signed-in account: returns valid access tokens, and uses them.
///
/// Tokens are refreshed before their expiry and once after a 401, by one request for all callers. They are saved
/// before any caller gets them. Only the provider's `invalid_grant` ends a session; after any other failure the
/// tokens are kept.
public actor Session {
    public nonisolated let key: ConnectionKey
    let client: OAuthClient
    /// The refresh in progress, which all callers share.
    var refreshing: Task<Connection, any Error>?
    nonisolated let stateChanges = SessionStates()
    /// The last saved tokens, used until their expiry while the store cannot be read.
    private(set) var latest: Connection?
    /// Counts how often the session ended, so that tokens read before are not cached after.
    private var endings = 0

    init(_ key: ConnectionKey, client: OAuthClient) {
        self.key = key
        self.client = client
    }

    /// Reads tokens and caches them, unless the session ended meanwhile.
    func cachingLatest(_ read: () async throws -> Connection) async throws -> Connection {
        let before = endings
        let connection = try await read()
        if before == endings { latest = connection }
        return connection
    }

    /// Clears the cached tokens: the session has ended.
    func forgetLatest() {
        latest = nil
        endings += 1
    }

    /// The stored tokens, which may have expired.
    ///
    /// - Throws: `TokenStoreError`; `OAuthError` of kind `sessionEnded` if there are none.
    package func storedTokens() async throws -> TokenSet { try await stored().connection.tokens }

    /// Tokens with an access token that is valid now.
    ///
    /// - Throws: `OAuthError`, whose `disposition` distinguishes "sign in again" from "try later"; `TokenStoreError`.
    public func tokens() async throws -> TokenSet { try await validConnection().tokens }

    /// Refreshes the tokens now.
    ///
    /// - Throws: As `tokens()`; of kind `noRefreshToken` if there is none.
    @discardableResult
    public func refresh() async throws -> TokenSet {
        try await reportingState { try await refreshed(from: try await stored().connection).tokens }
    }

    /// The resources of the descriptor, or of the host's map, each with its missing scopes.
    public func resources(_ map: ResourceMap? = nil) async throws -> [ResourceAccess] {
        let granted = try await stored().connection.tokens.scopes
        if let map { return map.access(granted: granted) }
        return try await resourceMap().access(granted: granted)
    }

    /// The descriptor's resources whose URLs are known from the sign-in's values.
    package func resourceMap() async throws -> ResourceMap {
        let collected = ConnectionValues(of: try await stored().connection)
        return ResourceMap(of: client.filled(client.provider.withoutMetadata, with: collected))
    }
}

extension Session {
    /// The user's identity at the provider: the issuer and subject of the ID token.
    ///
    /// - Throws: `TokenStoreError`; `OAuthError` of kind `sessionEnded` if there are no tokens.
    public func identity() async throws -> (issuer: String?, subject: String?) {
        let connection = try await stored().connection
        return (connection.issuer, connection.subject)
    }

    /// The same subject; if the sign-in did not need it, that of a profile.
    package func subject(with profile: Profile?) async throws -> String? {
        let connection = try await stored().connection
        return Profile.subject(
            stated: connection.subject, profile, at: try await client.provider(for: connection))
    }
}
