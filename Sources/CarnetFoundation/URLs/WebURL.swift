/// An absolute https URL, or http on a loopback host, without user information or fragment.
///
/// Only this type is ever requested, redirected to or opened in a browser. Its text is printable ASCII, so a URL
/// cannot contain a header or a second host.
package struct WebURL: Hashable, Sendable {
    package let text: String
    package let scheme: String
    /// The host in lower case; an IPv6 literal keeps its brackets.
    package let host: String
    package let port: Int?
    /// The path as written; empty if there is none.
    package let path: String
    package let query: String?

    /// - Parameter isPlain: Whether http is allowed on every host: somebody has accepted it for this address, and nothing of
    ///   a sign-in goes there.
    /// - Throws: `WebURLError` with the reason.
    package init(_ text: String, isPlain: Bool = false) throws(WebURLError) {
        let bytes = Array(text.utf8)
        let parts = try Parts(bytes, isPlain: isPlain)
        self.text = text
        scheme = parts.isSecure ? "https" : "http"
        host = parts.host
        port = parts.port
        path = Self.text(bytes[parts.path])
        query = parts.query.map { Self.text(bytes[$0]) }
    }

    /// - Throws: `WebURLError` with the reason why the text is no such URL.
    package static func check(_ text: String) throws(WebURLError) { _ = try Parts(Array(text.utf8), isPlain: false) }

    /// Where the parts of a URL are in its bytes.
    private struct Parts {
        let isSecure: Bool
        let host: String
        let port: Int?
        let path: Range<Int>
        let query: Range<Int>?

        init(_ bytes: [UInt8], isPlain: Bool) throws(WebURLError) {
            Work.count(bytes.count)
            if let byte = bytes.first(where: { !WebURL.isAllowed($0) }) {
                let shown =
                    switch byte {
                    case 0x20: "a space"
                    case 0x21...0x7E: String(UnicodeScalar(byte))
                    case 0x80...: "a character outside ASCII"
                    default: "the control character \(byte)"
                    }
                throw WebURLError(reason: "a URL cannot contain \(shown)")
            }
            // All of it is ASCII from here on, so bytes are characters.
            let slash = UInt8(ascii: "/")
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon + 2 < bytes.count,
                bytes[colon + 1] == slash, bytes[colon + 2] == slash
            else { throw WebURLError(reason: "not an absolute URL") }
            let scheme = WebURL.lowercased(bytes[..<colon])
            guard scheme == "https" || scheme == "http" else {
                throw WebURLError(reason: "the scheme \(scheme): is not allowed; use https:")
            }
            isSecure = scheme == "https"
            let rest = bytes[(colon + 3)...]
            guard !rest.contains(UInt8(ascii: "#")) else { throw WebURLError(reason: "a fragment (#) is not allowed") }
            let authorityEnd = rest.firstIndex { $0 == slash || $0 == UInt8(ascii: "?") } ?? rest.endIndex
            let authority = rest[..<authorityEnd]
            guard !authority.contains(UInt8(ascii: "@")) else {
                throw WebURLError(reason: "user information (@) is not allowed")
            }
            (host, port) = try WebURL.splitAuthority(authority)
            let question = rest[authorityEnd...].firstIndex(of: UInt8(ascii: "?"))
            path = authorityEnd..<(question ?? rest.endIndex)
            query = question.map { $0 + 1..<rest.endIndex }
            guard isSecure || isPlain || HostName(host).needsNoTLS else {
                throw WebURLError(reason: "http is allowed only on loopback hosts; use https")
            }
        }
    }

    /// Whether the host is this machine by its spelling.
    package var isLoopback: Bool { HostName(host).isLoopback }

    package var effectivePort: Int { port ?? (scheme == "https" ? 443 : 80) }

    /// Scheme, host and port: what must be equal for a credential to go along (RFC 6454, section 4).
    package var origin: String { "\(scheme)://\(host):\(effectivePort)" }

    package func hasOrigin(of other: WebURL) -> Bool {
        host == other.host && effectivePort == other.effectivePort && scheme == other.scheme
    }

    /// Host and port as the Host header wants them.
    package var authority: String { port.map { "\(host):\($0)" } ?? host }

    /// The request target: path and query.
    package var target: String { (path.isEmpty ? "/" : path) + (query.map { "?" + $0 } ?? "") }

    /// The same URL with parameters after its own query (RFC 6749, section 3.1).
    ///
    /// - Parameter encoded: Parameters that are already encoded, joined by `&`.
    package func appendingQuery(_ encoded: String) -> String {
        guard !encoded.isEmpty else { return text }
        var url = ""
        url.reserveCapacity(text.utf8.count + 1 + encoded.utf8.count)
        url += text
        switch query {
        case nil: url += "?"
        case "": break
        default: url += "&"
        }
        url += encoded
        return url
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        if ASCII.isUnreserved(byte) { return true }
        return switch byte {
        // : / ? # [ ] @ ! $ % & ' ( ) * + , ; =
        case 0x3A, 0x2F, 0x3F, 0x23, 0x5B, 0x5D, 0x40, 0x21, 0x24...0x2C, 0x3B, 0x3D: true
        default: false
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        let text = text(bytes)
        return bytes.contains { (0x41...0x5A).contains($0) } ? text.lowercased() : text
    }

    private static func splitAuthority(_ authority: ArraySlice<UInt8>) throws(WebURLError) -> (String, port: Int?) {
        var host = authority
        var port: Int?
        let isBracketed = authority.first == UInt8(ascii: "[")
        let portStart = isBracketed ? authority.firstIndex(of: UInt8(ascii: "]")) : authority.startIndex
        if let portStart, let colon = authority[portStart...].firstIndex(of: UInt8(ascii: ":")) {
            let digits = authority[(colon + 1)...]
            guard digits.allSatisfy(ASCII.isDigit), let number = Int(text(digits)), (1...65535).contains(number) else {
                throw WebURLError(reason: "the port is not a number from 1 to 65535")
            }
            host = authority[..<colon]
            port = number
        }
        guard !host.isEmpty else { throw WebURLError(reason: "the host is missing") }
        let isLiteral = isBracketed && host.last == UInt8(ascii: "]")
        let name = isLiteral ? host.dropFirst().dropLast() : host
        let isValid = name.allSatisfy { byte in
            isLiteral
                ? ASCII.isHexDigit(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
                : ASCII.isUnreserved(byte) && byte != UInt8(ascii: "~")
        }
        guard isValid, !name.isEmpty else { throw WebURLError(reason: "the host \(text(host)) is not a host name") }
        return (lowercased(host), port)
    }
}

extension WebURL: CustomStringConvertible {
    package var description: String { text }
}

extension WebURL: Codable {
    /// - Throws: `DecodingError` for an invalid URL.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do throws(WebURLError) {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.reason)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

package struct WebURLError: Error, Hashable, Sendable, CustomStringConvertible {
    package var reason: String

    package init(reason: String) { self.reason = reason }

    package var description: String { reason }
}
