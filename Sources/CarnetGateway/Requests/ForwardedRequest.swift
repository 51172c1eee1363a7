import CarnetDescriptors
package import CarnetFoundation
package import CarnetProtocol
package import HTTPTypes

/// The request that a proxy received, and asks about. Nothing of it is repaired.
package struct ForwardedRequest: Sendable {
    package let method: String
    /// `https` or `http`.
    package let scheme: String
    /// In lower case, without a port and without dots at the end.
    package let host: String
    /// Path and query.
    package let target: String
    /// What else the request may read or write; `nil` for nothing.
    package private(set) var second: SecondTarget?

    /// - Parameters:
    ///   - host: With or without a port, which does not count: the client chooses it, and proxies find their server by the name.
    ///   - fields: The client's headers that may name a second target.
    /// - Throws: `ForwardingProblem.invalid`, by `names`, those of the headers that the values come from.
    package init(
        method: String, scheme: String, host: String, target: String, fields: HTTPFields = [:],
        _ names: ProxyHeader.Names = ProxyHeader.forwarded
    ) throws(ForwardingProblem) {
        // Methods have a case (RFC 9110, section 9.1), and programs that ignore it would read another one.
        guard !method.isEmpty, method.utf8.count <= 64, method.utf8.allSatisfy(Self.isTokenByte),
            !method.utf8.contains(where: { (0x61...0x7A).contains($0) })
        else { throw .invalid(header: names.method) }
        // To some proxies, WebSocket requests have schemes of their own.
        switch scheme.asciiLowercased {
        case "https", "wss": self.scheme = "https"
        case "http", "ws": self.scheme = "http"
        default: throw .invalid(header: names.scheme)
        }
        guard let name = RequestHost(host)?.name else { throw .invalid(header: names.host) }
        guard !target.isEmpty, target.utf8.count <= Self.longestTarget else { throw .invalid(header: names.target) }
        self.method = method
        self.host = name
        self.target = target
        second = SecondTarget(of: method, fields)
    }

    /// The request for the value of `Destination`: an absolute URL of the same host, or a path (RFC 4918, section 10.3).
    /// Programs that read its path alone would write to their own. What follows two slashes names a host (RFC 3986, section
    /// 4.2); some parsers take a backslash for a slash, and leave out spaces and control characters.
    func redirected(to destination: String) throws(ForwardingProblem) -> ForwardedRequest {
        let start = destination.utf8.prefix(2)
        guard destination.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            !start.elementsEqual("//".utf8), !start.elementsEqual("/\\".utf8)
        else { throw .invalid(header: "Destination") }
        guard start.first != UInt8(ascii: "/") else {
            return try ForwardedRequest(method: method, scheme: scheme, host: host, target: destination)
        }
        let parts = try Self.parts(of: destination)
        guard RequestHost(parts.host)?.name == host else { throw .invalid(header: "Destination") }
        return try ForwardedRequest(method: method, scheme: parts.scheme, host: parts.host, target: parts.target)
    }

    /// Reads what the proxy wrote about the request. The headers of the other dialect are not read.
    ///
    /// - Parameters:
    ///   - request: To the decision endpoint, with repeated fields.
    ///   - peer: The other end of the connection; `nil` for a socket in the file system, whose permissions decide.
    ///   - secret: The value of `proxy.secret`.
    package init(
        _ request: HTTPRequest, from peer: IPAddress?, by proxy: GatewayProxyRules, secret: Secret?
    ) throws(ForwardingProblem) {
        if let peer, !proxy.trusts(peer) { throw .untrustedPeer(peer) }
        if let secret {
            let given = try ProxyHeader.value(of: ProxyHeader.secret, in: request)
            guard Secret(given) == secret else { throw .wrongSecret }
        }
        if let header = request.methodOverride { throw .methodOverride(header: header) }
        switch proxy.dialect {
        case .forwarded:
            let names = ProxyHeader.forwarded
            try self.init(
                method: try ProxyHeader.single(names.method, in: request),
                scheme: try ProxyHeader.single(names.scheme, in: request),
                host: try ProxyHeader.single(names.host, in: request),
                target: try ProxyHeader.value(of: names.target, in: request), fields: request.headerFields, names)
        case .original:
            let names = ProxyHeader.original
            let method = try ProxyHeader.single(names.method, in: request)
            let parts = try Self.parts(of: try ProxyHeader.value(of: names.target, in: request))
            try self.init(
                method: method, scheme: parts.scheme, host: parts.host, target: parts.target,
                fields: request.headerFields, names)
        }
    }

    /// Of a URL that a proxy put together from the parts of a request line and the Host header: it is cut, not parsed, so
    /// that every byte stays as it arrived.
    private static func parts(
        of url: String
    ) throws(ForwardingProblem) -> (scheme: String, host: String, target: String) {
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8),
            case let rest = bytes[bytes.index(colon, offsetBy: 3)...],
            let slash = rest.firstIndex(of: UInt8(ascii: "/"))
        else { throw .invalid(header: ProxyHeader.original.target) }
        return (
            String(decoding: bytes[..<colon], as: UTF8.self), String(decoding: rest[..<slash], as: UTF8.self),
            String(decoding: rest[slash...], as: UTF8.self)
        )
    }

    static let longestTarget = 16 * 1024

    /// RFC 9110, section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

/// The headers by which a proxy describes a request.
package enum ProxyHeader {
    package struct Names: Sendable {
        let method, scheme, host, target: String
    }

    /// What proves that a proxy sent the request.
    static let secret = "X-Gateway-Secret"

    package static let forwarded = Names(
        method: "X-Forwarded-Method", scheme: "X-Forwarded-Proto", host: "X-Forwarded-Host", target: "X-Forwarded-Uri")
    static let original = Names(
        method: "X-Original-Method", scheme: "X-Original-URL", host: "X-Original-URL", target: "X-Original-URL")

    /// A field that is there once: of two, one may be the client's.
    static func value(of name: String, in request: HTTPRequest) throws(ForwardingProblem) -> String {
        let values = HTTPField.Name(name).map { request.headerFields[values: $0] } ?? []
        guard let first = values.first, !first.isEmpty else { throw .missing(header: name) }
        guard values.count == 1 else { throw .repeated(header: name) }
        return first
    }

    /// A field whose value has no comma, which joins fields (RFC 9110, section 5.3).
    static func single(_ name: String, in request: HTTPRequest) throws(ForwardingProblem) -> String {
        let value = try value(of: name, in: request)
        guard !value.utf8.contains(UInt8(ascii: ",")) else { throw .repeated(header: name) }
        return value
    }
}

/// Why a request to the decision endpoint is not a proxy's, or not complete.
package enum ForwardingProblem: Error, Hashable, Sendable {
    /// The address is not one of `proxy.trusted`.
    case untrustedPeer(IPAddress)
    case wrongSecret
    case missing(header: String)
    case repeated(header: String)
    case invalid(header: String)
    /// A program behind the proxy may take the header for the method.
    case methodOverride(header: String)

    /// For the log, with the next thing to do.
    package var reason: String {
        switch self {
        case .untrustedPeer(let address):
            "the sender \(address.text) is not one of the proxies; add its address to proxy.trusted"
        case .wrongSecret: "\(ProxyHeader.secret) differs from proxy.secret; set it in the proxy's configuration"
        case .missing(let header): "the proxy did not send \(header); set it in the proxy's configuration"
        case .repeated(let header):
            "\(header) has several values, of which one may be the client's; let the proxy replace it"
        case .invalid(let header): "the value of \(header) is invalid"
        case .methodOverride(let header): "the request has the header \(header), which may change its method"
        }
    }

    /// For the response, which visitors may see: without an address of the operator's network.
    var publicReason: String {
        guard case .untrustedPeer = self else { return reason }
        return "the sender is not one of the proxies; add its address, which the log has, to proxy.trusted"
    }
}
