import CarnetFoundation

/// Which issuers count as the provider's own.
package enum IssuerRule: Hashable, DescriptorValue, Sendable {
    /// Only the descriptor's issuer (RFC 8414, section 3.3; OpenID Connect Core, section 3.1.3.7).
    case exact
    /// Issuers that vary by a claim of the ID token, such as the tenant. Places that are not inputs are claims.
    ///
    /// - Parameter pattern: The form of a value that stands for one tenant.
    case template(Template, claims: NamedList<String>, pattern: ValuePattern?)
    /// The descriptor's issuer and these.
    case anyOf([Template])
    /// Any issuer that the metadata names.
    case off(because: String)

    /// A part of each URL of metadata, and of no issuer.
    package static let metadataPaths = [
        "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server",
    ]

    static var shape: Shape {
        .either([
            .choice(["exact"]),
            Section.form(
                "IssuerTemplate", "{ template: ISSUER }", required: ["template"], optional: ["claims", "pattern"],
                isWhole: false),
            Section.form("IssuerList", "{ any_of: [ISSUER] }", required: ["any_of"], isWhole: false),
            Section.form("IssuerOff", "{ none: REASON }", required: ["none"], isWhole: false),
        ])
    }

    private struct Section: DescriptorSection {
        var template: Template?
        var claims = NamedList<String>()
        var pattern: ValuePattern?
        var anyOf: [Template]?
        var none: String?
        /// Whether it has nothing of a template.
        var isPlain: Bool { claims.isEmpty && pattern == nil }

        static let keys: [Key<Self>] = [
            Key("template", \.template, "the issuer with a {place} for the varying part"),
            Key(
                "claims", \.claims,
                "place -> the claim of the ID token that it must equal; default: the claim with the place's name"),
            Key(
                "pattern", \.pattern,
                "a regular expression for a place that names one tenant; with an input of this form, only the tenant's own issuer is accepted"
            ),
            Key("any_of", \.anyOf, "other issuers of the same provider"),
            Key("none", \.none, "the reason why the issuer of the metadata is not compared"),
        ]
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        if let scalar = node.scalar {
            switch scalar.text {
            case "exact":
                self = .exact
                return
            case "none": decoder.reportMissingReason(node)
            default: decoder.reportNotAllowed(node, allowed: ["exact"], shape: Self.shape)
            }
            return nil
        }
        guard decoder.expect(node.entries, node, Self.shape) != nil else { return nil }
        let count = decoder.diagnostics.count
        guard let section = Section(node, &decoder), decoder.diagnostics.count == count else { return nil }
        switch (section.template, section.anyOf, section.none) {
        case (let template?, nil, nil):
            guard !template.hasTouchingPlaces else {
                decoder.report(
                    .badTemplate, "two places are adjacent", at: node.entry("template")?.value.span ?? node.span,
                    help: "put a separator between them, so that the end of the first is clear")
                return nil
            }
            self = .template(template, claims: section.claims, pattern: section.pattern)
        case (nil, let issuers?, nil) where section.isPlain: self = .anyOf(issuers)
        case (nil, nil, let reason?) where section.isPlain: self = .off(because: reason)
        // What is laid over another rule need not repeat it.
        case (nil, nil, nil) where decoder.isPartial: return nil
        default:
            decoder.report(
                .valueNotAllowed, "issuer_match has several rules", at: node.span,
                help: "keep one of template, any_of and none; null deletes one that is inherited")
            return nil
        }
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        switch self {
        case .exact: "exact"
        case .template(let template, let claims, let pattern):
            Section(template: template, claims: claims, pattern: pattern).json(filler)
        case .anyOf(let issuers): Section(anyOf: issuers).json(filler)
        case .off(let reason): Section(none: reason).json(filler)
        }
    }
}

extension Place where Value == IssuerRule {
    /// The elements of `any_of`.
    package var issuers: [YAMLNode] { node?.entry("any_of")?.value.elements ?? [] }
}

extension Template {
    fileprivate var hasTouchingPlaces: Bool {
        zip(parts, parts.dropFirst()).contains { first, second in
            if case (.input, .input) = (first, second) { true } else { false }
        }
    }
}
