import CarnetDescriptors
import CarnetFoundation
public import CarnetProtocol
public import HTTPTypes

extension Session {
    /// An access token that is valid now.
    ///
    /// - Throws: As `tokens()`.
    public func accessToken() async throws -> Secret { try await tokens().accessToken }

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
    ///   - agent: Shows the authorization page if the resource requires further scopes (RFC 6750, section 3.1): the user is
    ///     asked for them, in addition to the granted ones, and the request is sent again. At most twice, and never for
    ///     scopes that were granted already. `nil`, the default, throws instead.
    /// - Throws: `OAuthError`: `insufficientScope`, also if the user grants none of the scopes or the resource is not content
    ///   with them; `undeclaredHost`; `unauthorized` if a refreshed token is rejected too; `badHeader` if the request has no
    ///   http or https URL; `tooManyRequests` with `retryAt` if the server limits requests; with an agent, the errors of
    ///   `requestScopes(_:with:options:)`. `CancellationError` if the task is cancelled during a pause.
    public func send(
        _ request: HTTPRequest,
        body: [UInt8] = [],
        declared: [Resource] = [],
        accepting statuses: Range<Int> = 200..<300,
        retryingWithin limit: Duration? = nil,
        asking agent: (any UserAgent)? = nil
    ) async throws -> IncomingResponse {
        let call = try ResourceCall(request, body: body, declared: declared, accepting: statuses)
        var questions = agent == nil ? 0 : Self.longestStepUp
        while true {
            do {
                return try await client.retrying(call.method, within: limit) {
                    try await self.send(call, with: try await self.validConnection())
                }
            } catch let error as OAuthError where error.kind == .insufficientScope && questions > 0 {
                questions -= 1
                guard let agent, try await grant(error.scopes, with: agent) else { throw error }
            }
        }
    }

    /// Sends a request as `send(_:body:declared:accepting:retryingWithin:asking:)` does, once, and passes the body of a
    /// successful response on while it arrives.
    ///
    /// - Throws: As that function.
    package func send(
        _ request: HTTPRequest, body: [UInt8], accepting statuses: Range<Int>, streaming stream: ResponseStream?
    ) async throws -> IncomingResponse {
        var call = try ResourceCall(request, body: body, declared: [], accepting: statuses)
        call.stream = stream
        return try await send(call, with: try await validConnection())
    }

    /// Asks for the scopes that were not granted yet, and returns whether the user granted one of them.
    private func grant(_ scopes: [String], with agent: any UserAgent) async throws -> Bool {
        let granted = try await storedTokens().scopes
        let missing = scopes.filter { !granted.contains($0) }
        guard !missing.isEmpty else { return false }
        return try await requestScopes(missing, with: agent).scopes.contains(where: missing.contains)
    }

    /// How often one request may ask the user for scopes. A resource could demand others each time.
    private static let longestStepUp = 2

    /// Calls a resource with the access token.
    ///
    /// - Parameter limit: As for `send(_:body:declared:accepting:retryingWithin:asking:)`.
    /// - Throws: As `send(_:body:declared:accepting:retryingWithin:asking:)`; `insufficientScope` before anything is sent if the
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
        guard !missing.isEmpty else { return }
        let error = OAuthError(
            .resource, .insufficientScope, "\"\(resource.title)\" needs scopes that were not granted",
            descriptorKey: "resources")
        throw changing(error) { $0.scopes = missing }
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
