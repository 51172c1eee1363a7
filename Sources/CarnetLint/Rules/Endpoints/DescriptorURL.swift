import CarnetDescriptors

/// One URL of a descriptor as it is written, places for inputs included.
struct DescriptorURL {
    let path: [String]
    let node: YAMLNode
    /// The text; where it starts with `{issuer}`, what comes after that.
    let source: String
    /// Whether the URL continues the issuer, so that its scheme and host are the issuer's.
    let continuesIssuer: Bool

    init(path: [String] = [], node: YAMLNode, source: String, continuesIssuer: Bool = false) {
        self.path = path
        self.node = node
        self.source = source
        self.continuesIssuer = continuesIssuer
    }

    /// Every URL that a request can go to.
    static func all(in context: LintContext) -> [DescriptorURL] {
        let descriptor = context.descriptor
        var urls: [DescriptorURL?] = [
            make(["issuer"], descriptor.issuer, context),
            make(["discovery_url"], descriptor.discoveryURL, context),
        ]
        for name in EndpointName.allCases {
            urls.append(make(["endpoints", name.rawValue], descriptor.endpoints[name], context))
        }
        for (index, resource) in descriptor.resources.enumerated() {
            urls.append(make(["resources", String(index), "url"], resource.url, context))
        }
        return urls.compactMap { $0 }
    }

    private static func make(_ path: [String], _ template: Template?, _ context: LintContext) -> DescriptorURL? {
        guard let template, let node = context.root.node(at: path) else { return nil }
        let issuer = ["{\(Template.issuerName)}", "{input.\(Template.issuerName)}"].first(
            where: template.source.hasPrefix)
        guard let issuer, context.descriptor.understandsIssuerPlace else {
            return DescriptorURL(path: path, node: node, source: template.source)
        }
        let rest = String(template.source.dropFirst(issuer.count))
        return DescriptorURL(path: path, node: node, source: rest, continuesIssuer: true)
    }

    var name: String { path.joined(separator: ".") }

    // MARK: Parts (RFC 3986, section 3)

    /// Without the colon; `nil` if the text does not start with a scheme and `//`.
    var scheme: Substring? {
        guard let separator = source.firstRange(of: "://") else { return nil }
        let scheme = source[..<separator.lowerBound]
        let isScheme = scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        return isScheme && scheme.first?.isLetter == true ? scheme : nil
    }

    var authority: Substring {
        guard let scheme else { return source[source.startIndex..<source.startIndex] }
        let rest = source[source.index(scheme.endIndex, offsetBy: 3)...]
        return rest.prefix { !"/?#".contains($0) }
    }

    /// The host without user information and port.
    var host: Substring {
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return host[...end] }
        return host.prefix { $0 != ":" }
    }

    var userInformation: Substring? {
        authority.lastIndex(of: "@").map { authority[...$0] }
    }

    var fragment: Substring? { source.firstIndex(of: "#").map { source[$0...] } }

    var query: Substring? {
        let end = fragment?.startIndex ?? source.endIndex
        return source[..<end].firstIndex(of: "?").map { source[source.index(after: $0)..<end] }
    }

    /// The names in the query with the stretch that each takes.
    var queryParameters: [(name: String, text: Substring)] {
        (query ?? "").split(separator: "&").map { part in
            (String(part.prefix { $0 != "=" }), part)
        }
    }

    /// Whether the host is written out and is this machine.
    var isLoopback: Bool { Self.isLoopback(host) }

    static func isLoopback(_ host: some StringProtocol) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host == "[::1]" { return true }
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        return octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
    }

    /// The text with a stand-in for each input, to see whether what is written out is a URL.
    var filled: String {
        var output = continuesIssuer ? "https://issuer.example" : ""
        var rest = source[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            // A digit may stand anywhere in a host, a port, a path and a query.
            output += rest[..<open] + "1"
            rest = rest[rest.index(after: close)...]
        }
        return output + rest
    }
}

extension ProviderDescriptor {
    /// Whether `{issuer}` stands for the descriptor's own issuer, rather than for an input of that name.
    var understandsIssuerPlace: Bool { issuer != nil && inputs[Template.issuerName] == nil }
}
