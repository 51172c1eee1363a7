package import Carnet
import CarnetFoundation
package import CarnetProtocol

/// An HTTP proxy, which tunnels with CONNECT (RFC 9110, section 9.3.6), or a SOCKS 5 proxy (RFC 1928). Both resolve the
/// names of hosts.
package struct Proxy: Hashable, Sendable {
    package let host: String
    package let port: Int
    package let user: String?
    package let password: Secret?
    package let isSOCKS: Bool

    /// `host:port`, for messages.
    package var place: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// - Parameters:
    ///   - url: `[http://][user:password@]host[:port]`, or with `socks5://` or `socks5h://`.
    ///   - name: What errors call it. They never quote the URL, which may have a password in it.
    /// - Throws: `TransportError`, `unsupportedRequest`.
    package init(_ url: String, named name: String) throws(TransportError) {
        func unusable(_ reason: String) -> TransportError { TransportError(.unsupportedRequest, "\(name) \(reason)") }
        var rest = Substring(url)
        var scheme = "http"
        if let range = rest.firstRange(of: "://") {
            scheme = rest[..<range.lowerBound].lowercased()
            rest = rest[range.upperBound...]
        }
        guard ["http", "socks5", "socks5h"].contains(scheme) else {
            throw unusable("must begin with http://, socks5:// or socks5h://; TLS to the proxy itself is not supported")
        }
        isSOCKS = scheme != "http"
        rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { PercentEncoding.decode(String($0)) }
            guard let user = decoded.first ?? nil, let password = decoded.count == 2 ? decoded[1] : "" else {
                throw unusable("has a user or password that is not percent-encoded")
            }
            guard !isSOCKS else { throw unusable("has a user, which only HTTP proxies support") }
            (self.user, self.password) = (user, Secret(password))
            rest = rest[rest.index(after: at)...]
        } else {
            (user, password) = (nil, nil)
        }
        var portText: Substring?
        if rest.first == "[", let end = rest.firstIndex(of: "]") {
            host = String(rest[rest.index(after: rest.startIndex)..<end])
            let behind = rest[rest.index(after: end)...]
            portText = behind.first == ":" ? behind.dropFirst() : behind.isEmpty ? nil : "x"
        } else if let colon = rest.lastIndex(of: ":") {
            host = String(rest[..<colon])
            portText = rest[rest.index(after: colon)...]
        } else {
            host = String(rest)
        }
        let port = portText.map { $0.isEmpty ? 1080 : Int($0) ?? 0 } ?? 1080
        guard !host.isEmpty, (1...65_535).contains(port) else { throw unusable("has no host, or an invalid port") }
        self.port = port
    }
}
