public import Carnet
import CarnetProtocol
import HTTPTypes

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

extension Session {
    /// Sends a `URLRequest` to a declared host with the access token, as `send(_:body:declared:accepting:retryingWithin:asking:)`
    /// does. Of the request, only URL, method, headers and body are used.
    ///
    /// - Throws: As `send(_:body:declared:accepting:retryingWithin:asking:)`; of kind `badHeader` if the request has no http or
    ///   https URL, or a body that is a stream.
    public func send(
        _ request: URLRequest, declared: [Resource] = [], accepting statuses: Range<Int> = 200..<300,
        retryingWithin limit: Duration? = nil
    ) async throws -> IncomingResponse {
        guard request.httpBodyStream == nil else {
            throw OAuthError(.resource, .badHeader, "the request's body is a stream", hint: "set httpBody instead")
        }
        var head = HTTPRequest(
            url: request.url?.absoluteString ?? "",
            method: request.httpMethod.flatMap { HTTPRequest.Method(rawValue: $0) } ?? .get)
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            guard let name = HTTPField.Name(name) else {
                throw OAuthError(.resource, .badHeader, "the request has a header with an invalid name")
            }
            head.headerFields[name] = value
        }
        return try await send(
            head, body: Array(request.httpBody ?? Data()), declared: declared, accepting: statuses,
            retryingWithin: limit)
    }
}
