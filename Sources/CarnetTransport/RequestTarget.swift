package import Carnet
import CarnetFoundation
package import CarnetProtocol
import HTTPTypes

/// The destination of a request that a transport may send.
package struct RequestTarget {
    /// The absolute URL (RFC 9112, 3.2.2).
    package let url: String
    /// `host:port`, for messages: a path and a query may contain secrets.
    package let origin: String
    package let scheme: String
    /// The host without its port. An IPv6 literal keeps its brackets.
    package let host: String

    /// - Throws: `TransportError`, `unsupportedRequest`.
    package init(_ request: OutgoingRequest) throws {
        guard let scheme = request.head.scheme?.lowercased(), ["https", "http"].contains(scheme) else {
            throw TransportError(.unsupportedRequest, "the URL's scheme is neither http nor https")
        }
        guard let authority = request.head.authority, Self.isAuthority(authority) else {
            throw TransportError(.unsupportedRequest, "the URL has no valid host")
        }
        // All of it is ASCII, so bytes are characters. A colon before the end of an IPv6 literal is part of it.
        let bytes = authority.utf8
        var colon = bytes.lastIndex(of: UInt8(ascii: ":"))
        if bytes.first == UInt8(ascii: "["), let last = colon {
            colon = bytes[..<last].contains(UInt8(ascii: "]")) ? last : nil
        }
        let origin = colon == nil ? "\(authority):\(scheme == "https" ? 443 : 80)" : authority
        guard let path = request.head.path, path.utf8.first == UInt8(ascii: "/"), path.utf8.allSatisfy(Self.isPathByte)
        else {
            throw TransportError(.unsupportedRequest, "the path of the request to \(origin) is not a valid URL path")
        }
        for field in request.head.headerFields where Self.ownFields.contains(field.name.canonicalName) {
            throw TransportError(.unsupportedRequest, "the header field \(field.name) cannot be set by a request")
        }
        host = colon.map { String(authority[..<$0]) } ?? authority
        self.url = "\(scheme)://\(authority)\(path)"
        self.origin = origin
        self.scheme = scheme
    }

    /// Rejects a host that is local by its spelling, before a connection is made.
    ///
    /// - Throws: `TransportError`, `localAddress`; `unsupportedRequest` for a number that is no address.
    package func refuseLocalHost(unless access: LocalAccess) throws {
        guard !access.allows(host) else { return }
        let name = HostName(host)
        guard name.isNumeric else {
            if name.isLoopback { throw TransportError(localAddressOf: origin) }
            return
        }
        // A system or a proxy might still read an invalid number as an address.
        guard let address = name.address else {
            throw TransportError(.unsupportedRequest, "the host of \(origin) is not a valid IP address")
        }
        guard address.isPublic else { throw TransportError(localAddressOf: origin) }
    }

    /// - Throws: `TransportError`, `unsupportedRequest`, without TLS, in which a client certificate could be presented.
    package func requireTLS() throws {
        guard scheme != "https" else { return }
        throw TransportError(.unsupportedRequest, "a client certificate requires https, and \(origin) uses http")
    }

    /// Header fields that frame the message: a duplicate would allow request smuggling (RFC 9112, section 11.2).
    private static let ownFields = [
        "host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect",
    ]

    /// Host and port, without user information.
    private static func isAuthority(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.first != UInt8(ascii: ":")
            && text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-._:[]".utf8.contains($0) }
    }

    private static func isPathByte(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "#") }
}

extension TransportError {
    package init(localAddressOf origin: String) {
        self.init(
            .localAddress,
            "\(origin) is an address of this machine or the local network, which is not allowed for this host")
    }
}

extension TransportLimits {
    /// - Throws: `TransportError`, `tooLate`, once the request may not be sent any more.
    package func checkMoment(_ origin: String) throws(TransportError) {
        guard let moment = sendBefore, .now >= moment else { return }
        throw TransportError(.tooLate, "the connection to \(origin) took too long; the request was not sent")
    }
}
