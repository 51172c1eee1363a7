public import CarnetDescriptors
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
    ///   - declared: Resources whose origins the token may go to, besides those of the descriptor.
    ///   - statuses: The statuses whose responses are returned. 401 and 403 are errors nevertheless, and a redirect is not
    ///     followed.
    /// - Throws: As `call(_:body:headers:)`; of kind `badHeader` if the request has no http or https URL.
    public func request(
        _ request: HTTPRequest,
        body: [UInt8] = [],
        declared: [Resource] = [],
        accepting statuses: Range<Int> = 200..<300
    ) async throws -> IncomingResponse {
        let url: WebURL
        do throws(WebURLError) {
            url = try WebURL("\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")")
        } catch {
            throw OAuthError(.resource, .badHeader, "the request's URL is invalid: \(error)")
        }
        return try await call(
            url,
            method: request.method,
            headers: request.headerFields.map { Named($0.name.rawName, $0.value) },
            body: body,
            declared: declared,
            accepting: statuses
        )
    }
}
