public import CarnetDescriptors
public import CarnetProtocol
public import HTTPTypes

extension Session {
    /// An access token that is valid now.
    ///
    /// - Throws: as `tokens()`.
    public func accessToken() async throws -> Secret {
        try await tokens().accessToken
    }

    /// Sends a request to a declared host with the access token, and once more with a renewed one after a 401.
    ///
    /// - Parameter declared: Resources whose origins the token may go to, besides those of the descriptor.
    /// - Throws: as `call(_:body:headers:)`; of kind `badHeader` if the request has no URL of a web page.
    public func request(
        _ request: HTTPRequest,
        body: [UInt8] = [],
        declared: [Resource] = []
    ) async throws -> IncomingResponse {
        let url: WebURL
        do throws(WebURLError) {
            url = try WebURL("\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")")
        } catch {
            throw OAuthError(.resource, .badHeader, "the request's URL cannot be called: \(error)")
        }
        return try await call(
            url,
            method: request.method,
            headers: request.headerFields.map { Named($0.name.rawName, $0.value) },
            body: body,
            declared: declared
        )
    }
}
