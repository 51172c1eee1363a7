public import HTTPTypes

/// Whether a resource server handles a request.
public enum AccessDecision: Sendable {
    /// Without a caller if the resource map opens the resource to anyone.
    case allowed(Caller?)
    case refused(AccessRefusal)
}

/// Why a request is refused, and the response that says so.
public struct AccessRefusal: Error, Sendable {
    /// The response without a body. Its `WWW-Authenticate` field says what a client can do (RFC 6750, section 3).
    public let response: HTTPResponse
    /// The reason for the server's log. It contains no secret, and more than the sender of the request may know.
    public let reason: String
}
