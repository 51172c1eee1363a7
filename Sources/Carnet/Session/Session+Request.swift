import CarnetDescriptors
public import CarnetProtocol
public import HTTPTypes

extension Session {
    /// An access token that is valid now.
    ///
    /// - Throws: As `tokens()`.
    public func accessToken() async throws -> Secret {
        try await tokens().accessToken
    }

    /// Sends a request to a declared host with the access token, and once more with a refreshed one after a 401.
    ///
    /// - Parameters:
    ///   - request: Its URL is absolute: `HTTPRequest(url:)`.
    ///   - declared: Resources whose origins the token may go to, besides those of the descriptor.
    ///   - statuses: The statuses whose responses are returned. 401 and 403 are always errors, and redirects are never
    ///     followed.
    ///   - limit: While the server is busy, the request is repeated after pauses, and no attempt begins later than this
    ///     after the first. After 429, any request is repeated; after 408, 500, 502, 503 and 504, only a method that is
    ///     idempotent (RFC 9110, section 9.2.2). `nil`, the default, for one attempt.
    /// - Throws: `OAuthError`: `insufficientScope`, `undeclaredHost`, `unauthorized` if a refreshed token is rejected
    /// too; `badHeader` if the request has no http or https URL; `tooManyRequests` with `retryAt` if the server limits
    /// requests. `CancellationError` if the task is cancelled during a pause.
    public func send(
        _ request: HTTPRequest,
        body: [UInt8] = [],
        declared: [Resource] = [],
        accepting statuses: Range<Int> = 200..<300,
        retryingWithin limit: Duration? = nil
    ) async throws -> IncomingResponse {
        let call = try ResourceCall(request, body: body, declared: declared, accepting: statuses)
        return try await client.retrying(call.method, within: limit) {
            try await self.send(call, with: try await self.validConnection())
        }
    }

    /// Calls a resource with the access token.
    ///
    /// - Parameter limit: As for `send(_:body:declared:accepting:retryingWithin:)`.
    /// - Throws: As `send(_:body:declared:accepting:retryingWithin:)`; `insufficientScope` before anything is sent if the
    /// resource's scopes were not granted.
    public func call(
        _ resource: Resource,
        body: [UInt8] = [],
        headers: HTTPFields = [:],
        retryingWithin limit: Duration? = nil
    ) async throws -> IncomingResponse {
        let call = try ResourceCall(resource, body: body, headers: headers)
        return try await client.retrying(call.method, within: limit) {
            let connection = try await self.validConnection()
            try self.checkAccess(to: resource, with: connection)
            return try await self.send(call, with: connection)
        }
    }

    private nonisolated func checkAccess(to resource: Resource, with connection: Connection) throws(OAuthError) {
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
    }

    private func send(_ call: ResourceCall, with connection: Connection) async throws -> IncomingResponse {
        let provider = try await client.provider(for: connection)
        return try await retryingOnce(with: connection) { connection in
            try await self.client.send(
                call, tokens: connection.tokens, at: provider, within: try await self.client.bounds(of: connection),
                provedBy: connection.dpopKey)
        }
    }
}
