public import CarnetDescriptors
public import CarnetProtocol
public import HTTPTypes

/// One signed-in account: gives valid access tokens, and uses them.
///
/// Tokens are renewed before they end and once after a 401, by one request however many callers wait, and they are
/// saved before anyone is given them. Only the provider's own word ends a session; any other failure keeps the tokens.
public actor Session {
    public nonisolated let key: ConnectionKey
    let client: OAuthClient
    /// The renewal that is under way, which all callers share.
    var refreshing: Task<Connection, any Error>?
    nonisolated let stateChanges = SessionStates()
    /// What was given last: it was saved, and serves until its end while the store cannot be read.
    private(set) var latest: Connection?
    /// Counts the times that the session ended, so that what was read before is not kept after.
    private var endings = 0

    init(_ key: ConnectionKey, client: OAuthClient) {
        self.key = key
        self.client = client
    }

    /// Reads tokens, which are the latest from now on unless the session ended meanwhile.
    func keepingLatest(_ read: () async throws -> Connection) async throws -> Connection {
        let before = endings
        let connection = try await read()
        if before == endings { latest = connection }
        return connection
    }

    /// Gives no tokens from memory any more: the session is over.
    func forgetLatest() {
        latest = nil
        endings += 1
    }

    /// The stored tokens as they are, perhaps past their end.
    ///
    /// - Throws: `TokenStoreError`; `OAuthError` of kind `sessionEnded` if there are none.
    public func storedTokens() async throws -> TokenSet {
        try await stored().connection.tokens
    }

    /// Tokens whose access token is valid now.
    ///
    /// - Throws: `OAuthError`, whose `disposition` tells "sign in again" from "try later"; `TokenStoreError`.
    public func tokens() async throws -> TokenSet {
        try await validConnection().tokens
    }

    /// Renews the tokens now.
    ///
    /// - Throws: as `tokens()`; of kind `noRefreshToken` if the provider gave none.
    @discardableResult
    public func refresh() async throws -> TokenSet {
        try await tellingState { try await refreshed(from: try await stored().connection).tokens }
    }

    /// The resources of the descriptor, or of a map of the host's own, each with the scopes that are still missing.
    public func resources(_ map: ResourceMap? = nil) async throws -> [ResourceAccess] {
        let granted = try await stored().connection.tokens.scopes
        if let map { return map.access(granted: granted) }
        return try await resourceMap().access(granted: granted)
    }

    /// The descriptor's resources, as far as what the sign-in brought makes their URLs known.
    public func resourceMap() async throws -> ResourceMap {
        let held = HeldValues(of: try await stored().connection)
        return ResourceMap(of: client.filled(client.provider, with: held))
    }

    /// Calls a resource with the access token.
    ///
    /// - Throws: `OAuthError`: `insufficientScope`, `undeclaredHost`, `unauthorized` when a renewed token is refused
    ///   too.
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
    /// - Parameter declared: Resources whose origins the token may go to, besides those of the descriptor.
    /// - Throws: as `call(_:body:headers:)`.
    public func call(
        _ url: WebURL,
        method: HTTPRequest.Method = .get,
        headers: [Named<String>] = [],
        body: [UInt8] = [],
        declared: [Resource] = []
    ) async throws -> IncomingResponse {
        try await call(
            url, method: method, headers: headers, body: body, declared: declared,
            with: try await usableConnection())
    }

    private func call(
        _ url: WebURL,
        method: HTTPRequest.Method,
        headers: [Named<String>],
        body: [UInt8],
        declared: [Resource],
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
            try ResourceRequest.judge(response, to: request)
            return response
        }
    }
}

extension Session {
    /// Which user of the provider it is, as the sign-in found out: the issuer of the ID token, and the subject.
    ///
    /// - Throws: as `storedTokens()`.
    public func identity() async throws -> (issuer: String?, subject: String?) {
        let connection = try await stored().connection
        return (connection.issuer, connection.subject)
    }
}
