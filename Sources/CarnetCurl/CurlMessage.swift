import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetTransport
import HTTPTypes

/// A request in the form that libcurl takes, and what its exchange has to keep to.
final class CurlMessage: Sendable {
    /// Scheme, host and port. The path is not in it, so that nothing can normalize it.
    let base: String
    let path: String
    let method: String
    let isHead: Bool
    /// Whole lines, each with a zero byte behind it. A name with a colon and nothing behind it removes a field that libcurl
    /// would add.
    let headerLines: [UInt8]
    /// Nil for none; the header then has no length either.
    let body: [UInt8]?
    let proxy: Proxy?
    let identity: Identity?
    let mayBeLocal: Bool
    let takesNewConnection: Bool
    let limits: TransportLimits
    /// Takes the body of a successful response while it arrives.
    let stream: ResponseStream?
    /// `host:port`, for messages.
    let origin: String
    /// The same with the proxy.
    let route: String
    let routeKey: ByteKey

    /// The client's certificate, its chain and its key in PEM form.
    struct Identity: Sendable {
        let thumbprint: String
        let pem: Secret

        /// Certificates and key are one text, because connections are shared by the text of the certificates, and the same
        /// certificate with a wrong key must not share one.
        init(_ certificate: ClientCertificate) {
            thumbprint = certificate.thumbprint
            let blocks = certificate.chain.map { der in
                let lines = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
                return "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
            }
            // The text of the key may hold certificates, too.
            pem = Secret(blocks.joined() + certificate.privateKeyPEM.reveal())
        }
    }

    init(
        _ request: OutgoingRequest, _ target: RequestTarget, _ limits: TransportLimits, proxy: Proxy?, mayBeLocal: Bool
    ) {
        let head = request.head
        let authority = head.authority ?? ""
        base = "\(target.scheme)://\(authority)"
        path = head.path ?? "/"
        method = head.method.rawValue
        isHead = head.method == .head
        body = request.body.isEmpty && ![.post, .put, .patch].contains(head.method) ? nil : request.body
        var lines: [UInt8] = []
        lines.reserveCapacity(512)
        for field in head.headerFields {
            let value = field.value
            lines += field.name.rawName.utf8
            lines += (value.isEmpty ? ";" : ": ").utf8
            lines += value.utf8
            lines.append(0)
        }
        // libcurl reads the first field of a name, so these remove only what was not given.
        lines += "Accept:\0Content-Type:\0Expect:\0".utf8
        headerLines = lines
        self.proxy = proxy
        identity = request.certificate.map(Identity.init)
        self.mayBeLocal = mayBeLocal
        takesNewConnection = request.takesNewConnection
        self.limits = limits
        stream = request.stream
        origin = target.origin
        route = proxy.map { "\(target.origin) through the proxy \($0.place)" } ?? target.origin
        routeKey = ByteKey(route)
    }

    /// Whether any handle will do.
    var isPlain: Bool { proxy == nil && identity == nil }
}
