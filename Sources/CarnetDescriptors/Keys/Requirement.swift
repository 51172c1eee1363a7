import CarnetFoundation

/// Whether and how PKCE protects the code (RFC 7636). It is on unless the descriptor gives a reason.
package enum PKCERule: Hashable, Sendable {
    case required(ChallengeEncoding)
    case off(because: String)

    package var isRequired: Bool { encoding != nil }

    /// How the hash of the code verifier is written; `nil` without PKCE.
    package var encoding: ChallengeEncoding? {
        if case .required(let encoding) = self { encoding } else { nil }
    }
}

/// How the challenge of the method S256 is written. All encodings of a hash protect alike.
package enum ChallengeEncoding: String, DescriptorChoice, Sendable {
    /// RFC 7636, section 4.2.
    case base64url
    case hexadecimal = "hex"
}

/// Whether an ID token must contain the nonce of its sign-in. It must unless the descriptor gives a reason.
package enum NonceRule: Hashable, Sendable {
    case required
    /// An ID token without the nonce is accepted; one with another nonce never is.
    case optional(because: String)
    /// None is sent.
    case off(because: String)

    /// Whether a nonce is sent.
    package var isSent: Bool {
        if case .off = self { false } else { true }
    }

    package var isRequired: Bool { self == .required }
}

extension PKCERule: DescriptorValue {
    static var shape: Shape {
        .either([
            .choice(["required"]), Section.form("ChallengeEncoding", "{ encoding: hex }", required: ["encoding"]),
            Section.off,
        ])
    }

    private struct Section: DescriptorSection {
        var encoding: ChallengeEncoding?
        var none: String?

        static let keys: [Key<Self>] = [
            Key("encoding", \.encoding, "the encoding of the code challenge; default: base64url"),
            Key("none", \.none, offSummary),
        ]
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let section: Section? = decoder.requirement(node, shape: Self.shape) else { return nil }
        switch (section?.encoding, section?.none) {
        case (let encoding, nil): self = .required(encoding ?? .base64url)
        case (nil, let reason?): self = .off(because: reason)
        case (_?, _?):
            decoder.reportTwoRules(node, keep: "encoding, or none")
            return nil
        }
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        switch self {
        case .required(.base64url): "required"
        case .required(let encoding): Section(encoding: encoding).json(filler)
        case .off(let reason): Section(none: reason).json(filler)
        }
    }
}

extension NonceRule: DescriptorValue {
    static var shape: Shape {
        .either([
            .choice(["required"]), Section.form("OptionalNonce", "{ optional: REASON }", required: ["optional"]),
            Section.off,
        ])
    }

    private struct Section: DescriptorSection {
        var optional: String?
        var none: String?

        static let keys: [Key<Self>] = [
            Key(
                "optional", \.optional,
                "the reason why an ID token without the nonce is accepted; a wrong nonce never is"),
            Key("none", \.none, offSummary),
        ]
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let section: Section? = decoder.requirement(node, shape: Self.shape) else { return nil }
        switch (section?.optional, section?.none) {
        case (nil, nil): self = .required
        case (let reason?, nil): self = .optional(because: reason)
        case (nil, let reason?): self = .off(because: reason)
        case (_?, _?):
            decoder.reportTwoRules(node, keep: "optional, or none")
            return nil
        }
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        switch self {
        case .required: "required"
        case .optional(let reason): Section(optional: reason).json(filler)
        case .off(let reason): Section(none: reason).json(filler)
        }
    }
}

extension DescriptorSection {
    fileprivate static var offSummary: String {
        "the reason why this provider does not support the protection, with a link"
    }
    fileprivate static var off: Shape { form("RequirementOff", "{ none: REASON }", required: ["none"]) }
}

extension DescriptorDecoder {
    /// Reads a protection: the word `required`, which is a section without members here, or a mapping.
    ///
    /// - Returns: `nil` when a diagnostic was reported.
    fileprivate mutating func requirement<Section: DescriptorSection>(_ node: YAMLNode, shape: Shape) -> Section?? {
        if let scalar = node.written {
            switch scalar.text {
            case "required": return .some(nil)
            case "none", "false": reportMissingReason(node)
            case "true", "S256":
                report(
                    .valueNotAllowed, "\"\(scalar.text)\" is not allowed here", at: node.span,
                    help: "leave the key out: the protection is on without it")
            default: reportNotAllowed(node, allowed: ["required"], shape: shape)
            }
            return nil
        }
        let section: Section? = whole(node, shape)
        return section.map { .some($0) }
    }

    fileprivate mutating func reportTwoRules(_ node: YAMLNode, keep: String) {
        report(.valueNotAllowed, "the protection has two rules", at: node.span, help: "keep \(keep)")
    }
}
