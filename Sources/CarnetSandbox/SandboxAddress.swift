import CarnetDescriptors
package import CarnetFoundation

/// Where a running sandbox is, and where in it each provider's URL is to be found.
///
/// `https://id.acme.example/token` is served at `http://127.0.0.1:PORT/id.acme.example/token`; a URL that is on the
/// sandbox's own origin is served as it is.
package struct SandboxAddress: Hashable, Sendable {
    package let base: WebURL

    /// - Parameter base: The sandbox's origin, such as `http://127.0.0.1:8765`.
    package init(_ base: WebURL) { self.base = base }

    /// The place of a provider's URL in the sandbox.
    package func sandboxURL(for url: WebURL) -> String {
        url.origin == base.origin ? url.text : "\(base.scheme)://\(base.authority)/\(url.authority)\(url.target)"
    }

    /// The place of a page that a browser opens. A fragment stays with the browser; a page that routes by its fragment
    /// finds its parameters there, and the sandbox, which has no such page, in the query.
    ///
    /// - Throws: `WebURLError`.
    package func sandboxURL(forPage page: String) throws(WebURLError) -> String {
        let parts = page.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let url = sandboxURL(for: try WebURL(String(parts[0])))
        guard parts.count == 2 else { return url }
        let route = parts[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard route.count == 2 else { return "\(url)#\(parts[1])" }
        return url + (url.contains("?") ? "&" : "?") + route[1]
    }

    /// The URLs that a request target may stand for, the likeliest first.
    package static func candidates(target: String, host: String) -> [String] {
        let path = target.drop { $0 == "/" }
        let authority = path.prefix { $0 != "/" && $0 != "?" }
        let rest = path.dropFirst(authority.count)
        return ["https://\(authority)\(rest)", "http://\(authority)\(rest)", "http://\(host)\(target)"]
    }
}
