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
    /// - Throws: `OAuthError`: `insufficientScope`, `undeclaredHost`, `unauthorized` if a refreshed token is rejected
    /// too; `badHeader` if the request has no http or https URL.
    public func send(
        _ request: HTTPRequest,
        body: [UInt8] = [],
        declared: [Resource] = [],
        accepting statuses: Range<Int> = 200..<300
    ) async throws -> IncomingResponse {
        let call = try ResourceCall(request, body: body, declared: declared, accepting: statuses)
        return try await send(call, with: try await validConnection())
    }

    /// Calls a resource with the access token.
    ///
    /// - Throws: As `send(_:body:declared:accepting:)`; `insufficientScope` before anything is sent if the resource's
    /// scopes were not granted.
    public func call(
        _ resource: Resource,
        body: [UInt8] = [],
        headers: HTTPFields = [:]
    ) async throws -> IncomingResponse {
        let connection = try await validConnection()
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
        return try await send(try ResourceCall(resource, body: body, headers: headers), with: connection)
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
