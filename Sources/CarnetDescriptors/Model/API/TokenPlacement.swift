import CarnetFoundation

/// Where a request carries the access token.
package enum TokenPlacement: Hashable, DescriptorValue, Sendable {
    /// In the Authorization header, after its scheme (RFC 6750, section 2.1).
    case authorization
    /// In its own header, without a scheme.
    case header(String)
    /// In a parameter of the query, which logs may contain (RFC 6750, section 2.3).
    case query(String, because: String)
    /// In a parameter of a form (RFC 6750, section 2.2).
    case body(String, because: String)

    static var shape: Shape { .either(forms) }

    fileprivate static var forms: [Shape] {
        [
            .choice(["authorization"]), Section.form("TokenHeader", "{ header: NAME }", required: ["header"]),
            Section.form("TokenQuery", "{ query: NAME, because: REASON }", required: ["query", "because"]),
            Section.form("TokenBody", "{ body: NAME, because: REASON }", required: ["body", "because"]),
        ]
    }

    private struct Section: DescriptorSection {
        var header: String?
        var query: String?
        var body: String?
        var because: String?

        static let keys: [Key<Self>] = [
            Key("header", \.header, "the name of a header that contains only the token"),
            Key("query", \.query, "the name of the query parameter for the token"),
            Key("body", \.body, "the name of the parameter in the body for the token"),
            Key("because", \.because, "the reason why this provider accepts the token nowhere else, with a link"),
        ]
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        if let scalar = node.written {
            guard scalar.text == "authorization" else {
                decoder.reportNotAllowed(node, allowed: ["authorization"], shape: Self.shape)
                return nil
            }
            self = .authorization
            return
        }
        guard let section: Section = decoder.whole(node, Self.shape) else { return nil }
        switch (section.header, section.query, section.body, section.because) {
        case (let name?, nil, nil, nil): self = .header(name)
        case (nil, let name?, nil, let reason?): self = .query(name, because: reason)
        case (nil, nil, let name?, let reason?): self = .body(name, because: reason)
        case (nil, _?, nil, nil), (nil, nil, _?, nil):
            decoder.report(
                .missingReason,
                "the token is sent in \(section.body == nil ? "URLs" : "the body") without a reason", at: node.span,
                help: "add because: the reason why this provider accepts the token nowhere else, with a link")
            return nil
        default:
            decoder.report(
                .valueNotAllowed, "the token has two places", at: node.span,
                help: "keep header, or query or body with because")
            return nil
        }
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        switch self {
        case .authorization: "authorization"
        case .header(let name): Section(header: name).json(filler)
        case .query(let name, let reason): Section(query: name, because: reason).json(filler)
        case .body(let name, let reason): Section(body: name, because: reason).json(filler)
        }
    }
}

/// Where a request carries the access token, if it does.
package enum TokenUse: Hashable, DescriptorValue, Sendable {
    case placed(TokenPlacement)
    /// The request is made without the token, and without what `api` says of each request with it.
    case absent(because: String)

    static var shape: Shape {
        .either(TokenPlacement.forms + [Section.form("NoToken", "{ none: REASON }", required: ["none"])])
    }

    private struct Section: DescriptorSection {
        var reason = ""

        static let keys: [Key<Self>] = [
            Key(
                "none", \.reason, isRequired: true,
                "the reason for a request without the token, and without what api adds")
        ]
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        if node.written?.text == "none" {
            decoder.report(
                .missingReason, "the token is left out without a reason", at: node.span,
                help: "write { none: \"the reason, with a link\" }")
            return nil
        }
        if node.entry("none") != nil {
            guard let section: Section = decoder.whole(node, Self.shape) else { return nil }
            self = .absent(because: section.reason)
            return
        }
        guard let placement = TokenPlacement(node, &decoder) else { return nil }
        self = .placed(placement)
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        switch self {
        case .placed(let placement): placement.json(filler)
        case .absent(let reason): Section(reason: reason).json(filler)
        }
    }
}

extension TokenUse? {
    /// The place of the token; `nil` for a request without it.
    ///
    /// - Parameter standard: The place if nothing is said.
    package func placement(else standard: TokenPlacement?) -> TokenPlacement? {
        switch self {
        case .placed(let placement)?: placement
        case .absent?: nil
        case nil: standard
        }
    }
}

extension Place where Value == TokenPlacement {
    /// The name of a header that holds the token.
    package var header: YAMLNode? { node?.entry("header")?.value }
}

extension Place where Value == TokenUse {
    /// The name of a header that holds the token.
    package var header: YAMLNode? { node?.entry("header")?.value }
}
