import CarnetFoundation

/// Whether the provider accepts new applications, and until when it works.
package enum ProviderStatus: Hashable, DescriptorValue, Sendable {
    case open
    /// Nobody can register an application any more, or only partners of the provider can.
    case closed(because: String, link: String?)
    /// - Parameter date: The day on which the provider, or this way to sign in, ends: `2027-01-31`.
    case retiring(on: String, because: String, link: String?)

    package var isOpen: Bool { self == .open }

    /// The state as a word.
    package var word: String {
        switch self {
        case .open: "open"
        case .closed: "closed"
        case .retiring: "retiring"
        }
    }

    /// A short remark for lists; `nil` for an open provider.
    package var remark: String? {
        switch self {
        case .open: nil
        case .closed: "closed to new applications"
        case .retiring(let date, _, _): "ends on \(date)"
        }
    }

    package var reason: String? {
        switch self {
        case .open: nil
        case .closed(let reason, _), .retiring(_, let reason, _): reason
        }
    }

    package var link: String? {
        switch self {
        case .open: nil
        case .closed(_, let link), .retiring(_, _, let link): link
        }
    }

    static var shape: Shape {
        .either([
            .choice(["open"]),
            Section.form("ClosedStatus", "{ closed: REASON }", required: ["closed"], optional: ["link"]),
            Section.form(
                "RetiringStatus", "{ retiring: DATE, because: REASON }", required: ["retiring", "because"],
                optional: ["link"]),
        ])
    }

    private struct Section: DescriptorSection {
        var closed: String?
        var retiring: String?
        var because: String?
        var link: String?

        static let keys: [Key<Self>] = [
            Key("closed", \.closed, "the reason why no new application can be registered"),
            Key("retiring", \.retiring, "the day on which the provider ends, e.g. \"2027-01-31\""),
            Key("because", \.because, "the reason"),
            Key("link", \.link, "a link to it"),
        ]
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        if let scalar = node.written {
            switch scalar.text {
            case "open":
                self = .open
                return
            case "closed":
                decoder.report(
                    .missingReason, "the provider is closed without a reason", at: node.span,
                    help: "write { closed: \"the reason\", link: URL }")
            default: decoder.reportNotAllowed(node, allowed: ["open"], shape: Self.shape)
            }
            return nil
        }
        guard let section: Section = decoder.whole(node, Self.shape) else { return nil }
        switch (section.closed, section.retiring, section.because) {
        case (let reason?, nil, nil): self = .closed(because: reason, link: section.link)
        case (nil, let date?, let reason?): self = .retiring(on: date, because: reason, link: section.link)
        default:
            decoder.report(
                .valueNotAllowed, "the status is incomplete, or has several states", at: node.span,
                help: "write { closed: REASON }, or { retiring: DATE, because: REASON }")
            return nil
        }
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        switch self {
        case .open: "open"
        case .closed(let reason, let link): Section(closed: reason, link: link).json(filler)
        case .retiring(let date, let reason, let link):
            Section(retiring: date, because: reason, link: link).json(filler)
        }
    }
}

extension Place where Value == ProviderStatus {
    package var retiring: Place<String> { entry("retiring") }
    package var link: Place<String> { entry("link") }
}
