/// An absolute https URL, or http on a loopback host, without user information or fragment.
///
/// Only this type is ever requested, redirected to or opened in a browser. Its text is printable ASCII as it goes on the
/// wire, so a URL cannot smuggle a header or a second host.
public struct WebURL: Hashable, Sendable {
    public let text: String
    public let scheme: String
    /// The host in lower case; an IPv6 literal keeps its brackets.
    public let host: String
    public let port: Int?
    /// The path as written; empty if there is none.
    public let path: String
    public let query: String?

    /// - Throws: `WebURLError` with the reason.
    public init(_ text: String) throws(WebURLError) {
        for byte in text.utf8 where !Self.isAllowed(byte) {
            let shown = byte < 0x21 || byte > 0x7E ? "byte \(byte)" : String(UnicodeScalar(byte))
            throw WebURLError(reason: "a URL cannot contain \(shown)")
        }
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else {
            throw WebURLError(reason: "not an absolute URL")
        }
        scheme = text[..<colon].lowercased()
        guard scheme == "https" || scheme == "http" else {
            throw WebURLError(reason: "the scheme \(scheme): is not allowed; use https:")
        }
        let rest = text[colon...].dropFirst(3)
        guard !rest.contains("#") else { throw WebURLError(reason: "a fragment (#) is not allowed") }
        let authorityEnd = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<authorityEnd]
        guard !authority.contains("@") else { throw WebURLError(reason: "user information (@) is not allowed") }
        (host, port) = try Self.splitAuthority(authority)
        let pathAndQuery = rest[authorityEnd...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = pathAndQuery.first.map(String.init) ?? ""
        query = pathAndQuery.count == 2 ? String(pathAndQuery[1]) : nil
        self.text = text
        guard scheme == "https" || isLoopback else {
            throw WebURLError(reason: "http is allowed on loopback hosts alone; use https")
        }
    }

    /// Whether the host is this machine: 127.0.0.0/8, ::1 or localhost.
    public var isLoopback: Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
    }

    public var effectivePort: Int { port ?? (scheme == "https" ? 443 : 80) }

    /// Scheme, host and port: what must be equal for a credential to go along (RFC 6454, section 4).
    public var origin: String { "\(scheme)://\(host):\(effectivePort)" }

    /// Host and port as the Host header wants them.
    public var authority: String { port.map { "\(host):\($0)" } ?? host }

    /// The request target: path and query.
    public var target: String { (path.isEmpty ? "/" : path) + (query.map { "?" + $0 } ?? "") }

    /// The same URL with parameters after its own query (RFC 6749, section 3.1).
    ///
    /// - Parameter encoded: Parameters that are already encoded, joined by `&`.
    public func appendingQuery(_ encoded: String) -> String {
        guard !encoded.isEmpty else { return text }
        switch query {
        case nil: return text + "?" + encoded
        case "": return text + encoded
        default: return text + "&" + encoded
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) || ":/?#[]@!$&'()*+,;=%".utf8.contains(byte)
    }

    private static func splitAuthority(_ authority: Substring) throws(WebURLError) -> (host: String, port: Int?) {
        var host = authority
        var port: Int?
        let portStart = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : authority.startIndex
        if let portStart, let colon = authority[portStart...].firstIndex(of: ":") {
            let digits = authority[authority.index(after: colon)...]
            guard digits.utf8.allSatisfy(ASCII.isDigit), let number = Int(digits), (1...65535).contains(number) else {
                throw WebURLError(reason: "the port is not a number from 1 to 65535")
            }
            host = authority[..<colon]
            port = number
        }
        guard !host.isEmpty else { throw WebURLError(reason: "the host is missing") }
        let isLiteral = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isLiteral ? host.dropFirst().dropLast() : host
        let isValid = name.utf8.allSatisfy { byte in
            isLiteral
                ? ASCII.isHexDigit(byte) || ":.".utf8.contains(byte)
                : ASCII.isAlphanumeric(byte) || "-._".utf8.contains(byte)
        }
        guard isValid, !name.isEmpty else { throw WebURLError(reason: "the host \(host) is not a host name") }
        return (host.lowercased(), port)
    }
}

extension WebURL: CustomStringConvertible {
    public var description: String { text }
}

public struct WebURLError: Error, Hashable, Sendable, CustomStringConvertible {
    public var reason: String
    public var description: String { reason }
}
