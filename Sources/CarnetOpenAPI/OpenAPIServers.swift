import CarnetDescriptors
import CarnetFoundation

/// What stands before the paths of operations.
struct ServerBase {
    /// Host and port; `nil` if the description names none.
    let host: String?
    /// Without a slash at its end.
    let path: String
    /// Scheme, host and port, as they are written.
    let origin: String?

    /// - Parameter url: The URL of a server with all variables filled, or a relative one.
    /// - Returns: `nil` if it is relative to something that is not known.
    init?(_ url: String) {
        var rest = url.prefix { $0 != "?" && $0 != "#" }
        if let mark = rest.firstRange(of: "://") {
            let authority = rest[mark.upperBound...].prefix { $0 != "/" }
            guard !authority.isEmpty else { return nil }
            host = RequestHost(String(authority))?.text ?? String(authority)
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

    var key: ByteKey? { host.map(ByteKey.init) }
}

/// Servers as a map names them: with the same host, and the same path before those of operations.
struct ServerPlace {
    /// `nil` if the map's resources are for any host.
    let host: String?
    let path: String
    /// The hosts of the servers, with `nil` for one that is not known.
    var hosts: Set<ByteKey?>
}

/// Reads the servers of a description, a path or an operation.
struct ServerReader {
    /// More are left out: each has all resources of the map again.
    static let mostServers = 16
    private static let mostVariables = 16
    /// No request has a longer path.
    private static let longestURL = 8 * 1024

    /// - Returns: One for each value of a variable in the path.
    static func read(_ servers: YAMLNode, _ findings: ImportFindings) -> [ServerBase] {
        var bases: [ServerBase] = []
        for server in servers.elements ?? [] {
            // Without a scheme, it has that of the document.
            guard let url = server.text("url").map({ $0.hasPrefix("//") ? "https:" + $0 : $0 }) else {
                findings.error(server.span, "the server has no url: it is not imported")
                continue
            }
            for filled in fill(url, server, findings) {
                guard let base = ServerBase(filled) else {
                    let message = "the server's URL is relative to a document that is not known: it is not imported"
                    findings.warn(server.span, message)
                    continue
                }
                bases.append(base)
            }
            guard bases.count <= mostServers else {
                findings.warn(
                    server.span, "there are more than \(mostServers) servers: this and the others are not imported")
                return Array(bases.prefix(mostServers))
            }
        }
        return bases
    }

    /// The URL with the values of its variables: all of those in the path, and the default of the others.
    private static func fill(_ url: String, _ server: YAMLNode, _ findings: ImportFindings) -> [String] {
        let known = server.entry("variables")?.value
        var parts: [(text: Substring, variable: Int?)] = []
        var names: [Substring] = []
        var rest = url[...]
        while let close = rest.firstIndex(of: "}") {
            let before = rest[..<close]
            if let open = before.lastIndex(of: "{"), names.count <= mostVariables,
                known?.entry(String(before[before.index(after: open)...])) != nil
            {
                let name = before[before.index(after: open)...]
                let position = names.firstIndex(of: name) ?? names.count
                if position == names.count { names.append(name) }
                parts.append((before[..<open], position))
            } else {
                parts.append((rest[...close], nil))
            }
            rest = rest[url.index(after: close)...]
        }
        parts.append((rest, nil))
        var choices: [[String]] = [[]]
        for name in names.prefix(mostVariables) {
            let values = values(of: String(name), known, isInPath: isInPath("{\(name)}", url), findings)
            choices = Array(choices.lazy.flatMap { choice in values.map { choice + [$0] } }.prefix(mostServers + 1))
        }
        func isShort(_ choice: [String]) -> Bool {
            parts.reduce(0) { $0 + $1.text.utf8.count + ($1.variable.map { choice[$0].utf8.count } ?? 0) } <= longestURL
        }
        guard names.count <= mostVariables, choices.allSatisfy(isShort) else {
            findings.warn(
                server.span,
                "the server's URL is longer than \(longestURL) bytes or has more than \(mostVariables) variables: it is not imported"
            )
            return []
        }
        return choices.map { choice in parts.map { $0.text + ($0.variable.map { choice[$0] } ?? "") }.joined() }
    }

    private static func isInPath(_ place: String, _ url: String) -> Bool {
        guard let mark = url.firstRange(of: "://") else { return url.hasPrefix("/") }
        return url[mark.upperBound...].firstIndex(of: "/").map { url[$0...].contains(place) } ?? false
    }

    private static func values(
        of name: String, _ variables: YAMLNode?, isInPath: Bool, _ findings: ImportFindings
    ) -> [String] {
        guard let variable = variables?.entry(name) else { return [] }
        var values: [String] = []
        if isInPath {
            let listed = variable.value.entry("enum")?.value.elements ?? []
            values = listed.prefix(mostServers + 1).compactMap(\.scalar?.text)
            if values.isEmpty {
                findings.inform(
                    variable.keySpan, "the server's variable may have other values: the map has its default")
            }
        }
        if values.isEmpty { values = [variable.value.text("default") ?? ""] }
        // A value is text, also if it looks like a parameter.
        return values.map { $0.replacing("{", with: "%7B").replacing("}", with: "%7D") }
    }

    /// The server of Swagger 2.0.
    static func readSwagger(_ document: OpenAPIDocument) -> ServerBase? {
        let root = document.root
        var path = root.text("basePath") ?? ""
        if !path.isEmpty, !path.hasPrefix("/"), let place = root.entry("basePath")?.keySpan {
            document.findings.warn(place, "basePath does not begin with a slash: it is read with one")
            path = "/" + path
        }
        guard let host = root.text("host") else { return ServerBase(path) }
        let schemes = root.entry("schemes")?.value.elements?.compactMap(\.scalar?.text) ?? []
        return ServerBase((schemes.contains("https") || schemes.isEmpty ? "https" : schemes[0]) + "://" + host + path)
    }
}
