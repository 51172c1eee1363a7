public import HTTPTypes

/// A request that is ready to be sent, whole.
public struct OutgoingRequest: Sendable {
    public var head: HTTPRequest
    public var body: [UInt8]
    /// What the client presents in the TLS handshake, if it does (RFC 8705). A connection with it is for no other request.
    public var certificate: ClientCertificate?

    public init(head: HTTPRequest, body: [UInt8] = [], certificate: ClientCertificate? = nil) {
        self.head = head
        self.body = body
        self.certificate = certificate
    }
}

/// A response that has arrived, whole.
public struct IncomingResponse: Sendable {
    public var head: HTTPResponse
    public var body: [UInt8]

    public init(head: HTTPResponse, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }

    /// The status code.
    public var status: Int { head.status.code }
}
