public import CarnetDescriptors
public import CarnetProtocol
public import HTTPTypes

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
    func keepingLatest(_ read: () async throws -> Connection) async throws -> Connection {
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
    public func storedTokens() async throws -> TokenSet {
        try await stored().connection.tokens
    }

    /// Tokens with an access token that is valid now.
    ///
    /// - Throws: `OAuthError`, whose `disposition` distinguishes "sign in again" from "try later"; `TokenStoreError`.
    public func tokens() async throws -> TokenSet {
        try await validConnection().tokens
    }

    /// Refreshes the tokens now.
    ///
    /// - Throws: As `tokens()`; of kind `noRefreshToken` if there is none.
    @discardableResult
    public func refresh() async throws -> TokenSet {
        try await tellingState { try await refreshed(from: try await stored().connection).tokens }
    }

    /// The resources of the descriptor, or of the host's map, each with its missing scopes.
    public func resources(_ map: ResourceMap? = nil) async throws -> [ResourceAccess] {
        let granted = try await stored().connection.tokens.scopes
        if let map { return map.access(granted: granted) }
        return try await resourceMap().access(granted: granted)
    }

    /// The descriptor's resources whose URLs are known from the sign-in's values.
    public func resourceMap() async throws -> ResourceMap {
        let held = HeldValues(of: try await stored().connection)
        return ResourceMap(of: client.filled(client.provider, with: held))
    }

    /// Calls a resource with the access token.
    ///
    /// - Throws: `OAuthError`: `insufficientScope`, `undeclaredHost`, `unauthorized` if a refreshed token is rejected
    /// too.
    public func call(
        _ resource: Resource,
        body: [UInt8] = [],
        headers: [Named<String>] = []
    ) async throws -> IncomingResponse {
        let connection = try await usableConnection()
        let missing = ResourceMap([resource], scopes: client.provider.scopes)
            .access(granted: connection.tokens.scopes)[0].missing
        guard missing.isEmpty else {
            throw OAuthError(
                .resource,
                .insufficientScope,
                "\"\(resource.title)\" needs scopes that were not granted",
                descriptorKey: "resources",
                hint: "sign in with the scopes " + missing.joined(separator: " ")
            )
        }
        return try await call(
            resource.url,
            method: HTTPRequest.Method(resource.method.rawValue) ?? .get,
            headers: resource.headers + headers,
            body: body,
            declared: [resource],
            with: connection
        )
    }

    /// Calls a URL of a declared host with the access token.
    ///
    /// - Parameters:
    ///   - declared: Resources whose origins the token may go to, besides those of the descriptor.
    ///   - statuses: The statuses whose responses are returned. 401 and 403 are errors nevertheless, and a redirect is not
    ///     followed.
    /// - Throws: As `call(_:body:headers:)`.
    public func call(
        _ url: WebURL,
        method: HTTPRequest.Method = .get,
        headers: [Named<String>] = [],
        body: [UInt8] = [],
        declared: [Resource] = [],
        accepting statuses: Range<Int> = 200..<300
    ) async throws -> IncomingResponse {
        try await call(
            url, method: method, headers: headers, body: body, declared: declared, accepting: statuses,
            with: try await usableConnection())
    }

    private func call(
        _ url: WebURL,
        method: HTTPRequest.Method,
        headers: [Named<String>],
        body: [UInt8],
        declared: [Resource],
        accepting statuses: Range<Int> = 200..<300,
        with connection: Connection
    ) async throws -> IncomingResponse {
        let provider = try await client.provider(for: connection)
        return try await retryingOnce(with: connection) { connection in
            let bounds = try await self.client.bounds(of: connection).declaring(provider.origins(onlyIn: declared))
            let (response, request) = try await self.client.send(
                within: bounds, provedBy: connection.dpopKey, accessToken: connection.tokens.accessToken
            ) {
                try ResourceRequest.make(
                    url,
                    method: method,
                    headers: headers,
                    body: body,
                    tokens: connection.tokens,
                    at: provider,
                    declared: declared
                )
            }
            try ResourceRequest.judge(
                response, to: request, unauthorized: provider.api.unauthorized, accepting: statuses)
            return response
        }
    }
}

extension Session {
    /// The user's identity at the provider: the issuer and subject of the ID token.
    ///
    /// - Throws: As `storedTokens()`.
    public func identity() async throws -> (issuer: String?, subject: String?) {
        let connection = try await stored().connection
        return (connection.issuer, connection.subject)
    }
}
