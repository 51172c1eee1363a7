import CarnetDescriptors

/// One URL of a descriptor as it is written, places for inputs included, cut into its parts (RFC 3986, section 3).
struct DescriptorURL: Sendable {
    let path: [String]
    let node: YAMLNode
    /// The text; where it starts with `{issuer}`, what comes after that.
    let source: String
    /// Whether the URL continues the issuer, so that its scheme and host are the issuer's.
    let continuesIssuer: Bool

    /// Without the colon; `nil` if the text does not start with a scheme and `//`.
    let scheme: Substring?
    let authority: Substring
    /// The user information of the authority with its `@`.
    let userInformation: Substring?
    /// The host without user information and port.
    let host: Substring
    let query: Substring?
    /// From the `#` on.
    let fragment: Substring?

    init(path: [String] = [], node: YAMLNode, source: String, continuesIssuer: Bool = false) {
        self.path = path
        self.node = node
        self.source = source
        self.continuesIssuer = continuesIssuer

        // Every delimiter is ASCII, so bytes are enough.
        let utf8 = source.utf8
        func index(of byte: Unicode.Scalar, in range: Range<String.Index>) -> String.Index? {
            source[range].utf8.firstIndex(of: UInt8(ascii: byte))
        }
        let end = index(of: "#", in: source.startIndex..<source.endIndex)
        fragment = end.map { source[$0...] }
        let bodyEnd = end ?? source.endIndex
        let question = index(of: "?", in: source.startIndex..<bodyEnd)
        query = question.map { source[utf8.index(after: $0)..<bodyEnd] }

        let colon = index(of: ":", in: source.startIndex..<(question ?? bodyEnd))
        guard let colon, source[colon...].utf8.starts(with: "://".utf8), Self.isScheme(source[..<colon]) else {
            scheme = nil
            authority = source[source.startIndex..<source.startIndex]
            userInformation = nil
            host = authority
            return
        }
        scheme = source[..<colon]
        let start = utf8.index(colon, offsetBy: 3)
        authority =
            source[start...].utf8.firstIndex { "/?#".utf8.contains($0) }.map { source[start..<$0] } ?? source[start...]
        let at = authority.utf8.lastIndex(of: UInt8(ascii: "@"))
        userInformation = at.map { [authority] in authority[...$0] }
        let hostAndPort = at.map { [authority] in authority[utf8.index(after: $0)...] } ?? authority
        if hostAndPort.hasPrefix("["), let close = hostAndPort.utf8.firstIndex(of: UInt8(ascii: "]")) {
            host = hostAndPort[...close]
        } else {
            host = hostAndPort.utf8.firstIndex(of: UInt8(ascii: ":")).map { hostAndPort[..<$0] } ?? hostAndPort
        }
    }

    private static func isScheme(_ text: Substring) -> Bool {
        text.unicodeScalars.first?.properties.isAlphabetic == true
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    var name: String { path.joined(separator: ".") }

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

extension DescriptorURL {
    /// Every URL that a request can go to.
    static func all(in descriptor: ProviderDescriptor, root: YAMLNode) -> [DescriptorURL] {
        func make(_ path: [String], _ template: Template?) -> DescriptorURL? {
            guard let template, let node = root.node(at: path) else { return nil }
            let issuer = ["{\(Template.issuerName)}", "{input.\(Template.issuerName)}"].first(
                where: template.source.hasPrefix)
            guard let issuer, descriptor.understandsIssuerPlace else {
                return DescriptorURL(path: path, node: node, source: template.source)
            }
            let rest = String(template.source.dropFirst(issuer.count))
            return DescriptorURL(path: path, node: node, source: rest, continuesIssuer: true)
        }
        var urls = [make(["issuer"], descriptor.issuer), make(["discovery_url"], descriptor.discoveryURL)]
        urls += EndpointName.allCases.map { make(["endpoints", $0.rawValue], descriptor.endpoints[$0]) }
        urls += descriptor.resources.enumerated().map { make(["resources", String($0.offset), "url"], $0.element.url) }
        urls += descriptor.profile.requests.enumerated().map {
            make(["profile", "requests", String($0.offset), "url"], $0.element.url)
        }
        return urls.compactMap { $0 }
    }
}

extension ProviderDescriptor {
    /// Whether `{issuer}` stands for the descriptor's own issuer, rather than for an input of that name.
    var understandsIssuerPlace: Bool { issuer != nil && inputs[Template.issuerName] == nil }
}
