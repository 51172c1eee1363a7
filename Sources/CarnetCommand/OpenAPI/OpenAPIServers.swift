import CarnetDescriptors
import CarnetFoundation

/// What stands before the paths of operations.
struct ServerBase: Hashable {
    /// Host and port; `nil` if the description names none.
    let host: String?
    /// Without a slash at its end.
    let path: String
    /// Scheme, host and port, as they are written.
    let origin: String?

    /// - Parameter url: The URL of a server with all variables filled, or a relative one.
    /// - Returns: `nil` if it is relative to something that is not known.
    init?(_ url: String) {
        var rest = url[...]
        if let cut = rest.firstIndex(where: { $0 == "?" || $0 == "#" }) { rest = rest[..<cut] }
        if let mark = rest.firstRange(of: "://") {
            let authority = rest[mark.upperBound...].prefix { $0 != "/" }
            guard !authority.isEmpty else { return nil }
            host = RoutePattern.authority(String(authority))
            origin = String(rest[..<authority.endIndex])
            rest = rest[authority.endIndex...]
        } else {
            (host, origin) = (nil, nil)
            if rest.hasPrefix("./") || rest == "." { rest = rest.dropFirst() }
            if rest.isEmpty { rest = "/" }
        }
        while rest.hasSuffix("/") { rest = rest.dropLast() }
        guard rest.isEmpty || rest.hasPrefix("/") else { return nil }
        path = String(rest)
    }

    private init(host: String?, path: String) { (self.host, self.path, origin) = (host, path, nil) }

    /// The server of a description that names none.
    static let root = ServerBase(host: nil, path: "")

    /// The same for any host.
    var withoutHost: ServerBase { ServerBase(host: nil, path: path) }
    /// The same for its host.
    var withHost: ServerBase { ServerBase(host: host, path: path) }
}

/// Reads the servers of a description, a path or an operation.
struct ServerReader {
    /// More are left out: each has all resources of the map again.
    static let mostServers = 16

    /// - Returns: One for each value of a variable in the path.
    static func read(_ servers: YAMLNode, _ findings: inout ImportFindings) -> [ServerBase] {
        var bases: [ServerBase] = []
        for server in servers.elements ?? [] {
            guard let url = server.text("url") else {
                findings.add(.error, "the server has no url: it is not imported", at: server.span)
                continue
            }
            for filled in fill(url, server, &findings) {
                guard let base = ServerBase(filled) else {
                    let message = "the server's URL is relative to a document that is not known: it is not imported"
                    findings.add(.warning, message, at: server.span)
                    continue
                }
                if !bases.contains(base) { bases.append(base) }
            }
            guard bases.count <= mostServers else {
                findings.add(
                    .warning, "there are more than \(mostServers) servers: this and the others are not imported",
                    at: server.span)
                return Array(bases.prefix(mostServers))
            }
        }
        return bases
    }

    /// The URL with the values of its variables: all of those in the path, and the default of the others.
    private static func fill(_ url: String, _ server: YAMLNode, _ findings: inout ImportFindings) -> [String] {
        let path = url.firstRange(of: "://").flatMap { mark in
            url[mark.upperBound...].firstIndex(of: "/").map { url[$0...] }
        }
        var urls = [url]
        for variable in server.entry("variables")?.value.entries ?? [] {
            let place = "{" + variable.key + "}"
            guard url.contains(place) else { continue }
            let named = variable.value.text("default") ?? ""
            var values = variable.value.entry("enum")?.value.elements?.compactMap(\.scalar?.text) ?? []
            if path.map({ $0.contains(place) }) ?? url.hasPrefix("/") {
                if values.isEmpty {
                    findings.add(
                        .information, "the server's variable may have other values: the map has its default",
                        at: variable.keySpan)
                }
            } else {
                values = []
            }
            if values.isEmpty { values = [named] }
            urls = urls.flatMap { url in
                values.prefix(mostServers).map { url.replacing(place, with: $0) }
            }
            urls = Array(urls.prefix(mostServers + 1))
        }
        return urls
    }

    /// The server of Swagger 2.0.
    static func readSwagger(_ root: YAMLNode) -> ServerBase? {
        let path = root.text("basePath") ?? ""
        guard let host = root.text("host") else { return ServerBase(path) }
        let schemes = root.entry("schemes")?.value.elements?.compactMap(\.scalar?.text) ?? []
        return ServerBase((schemes.contains("https") || schemes.isEmpty ? "https" : schemes[0]) + "://" + host + path)
    }
}
