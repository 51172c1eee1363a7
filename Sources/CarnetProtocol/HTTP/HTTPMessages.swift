import CarnetDescriptors
public import HTTPTypes

/// A complete request, ready to be sent.
public struct OutgoingRequest: Sendable {
    public var head: HTTPRequest
    public var body: [UInt8]
    /// The client certificate for the TLS handshake (RFC 8705). The connection is not shared with other requests.
    public var certificate: ClientCertificate?
    /// Takes the body of a successful response while it arrives; `nil` if the whole response is wanted.
    package var stream: ResponseStream?
    /// Whether the request gets a connection that no other has used, because it is never sent again.
    package var takesNewConnection = false

    package init(head: HTTPRequest, body: [UInt8] = [], certificate: ClientCertificate? = nil) {
        self.head = head
        self.body = body
        self.certificate = certificate
    }
}

/// A complete response.
public struct IncomingResponse: Sendable {
    public var head: HTTPResponse
    public var body: [UInt8]
    /// When the server asked for the next request, if this is an error; set by the engine, which knows the time.
    package var retryAfter: RetryAfter?
    /// The request, whose secrets no message about the response may repeat; set by the engine.
    package var request: PreparedRequest?

    public init(head: HTTPResponse, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }

    /// The status code.
    public var status: Int { head.status.code }

    /// Whether the status is one of success (RFC 9110, section 15.3).
    package var isSuccess: Bool { (200..<300).contains(status) }

    /// A string of the response as a message may show it.
    func quoted(_ text: String, limit: Int = 200, hiding secrets: [Secret] = []) -> String {
        Redactor(hiding: secrets + (request?.secrets ?? [])).redact(text, limit: limit).quotable(limit: limit)
    }
}

extension HTTPFields {
    /// The value of a field. The subscript joins the values through three generic types, even if there is one.
    package func value(of name: HTTPField.Name) -> String? {
        let values = self[values: name]
        return values.count == 1 ? values[0] : self[name]
    }
}

extension HTTPRequest {
    private static let overrides = MethodOverride.headers.compactMap { HTTPField.Name($0) }

    /// The first header of the request that programs take for its method.
    package var methodOverride: String? { Self.overrides.first { headerFields.contains($0) }?.rawName }
}
