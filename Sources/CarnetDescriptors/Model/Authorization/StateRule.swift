import CarnetFoundation

/// How the state gets to the provider and back (RFC 6749, section 10.12). It is compared in any case.
package enum StateRule: Hashable, DescriptorValue, Sendable {
    case parameter
    /// In the query of the redirect URI, for a provider that drops the parameter.
    case redirectURI(because: String)

    package var isParameter: Bool { self == .parameter }

    static var shape: Shape {
        .either([
            .choice(["parameter"]),
            Section.form("StateRule", "{ in: redirect_uri, because: REASON }", required: ["in", "because"]),
        ])
    }

    private enum Place: String, DescriptorChoice {
        case redirectURI = "redirect_uri"
    }

    private struct Section: DescriptorSection {
        var place = Place.redirectURI
        var because = ""

        static let keys: [Key<Self>] = [
            Key("in", \.place, isRequired: true, "where the state is sent"),
            Key(
                "because", \.because, isRequired: true,
                "the reason why the parameter is not used, and that this provider allows a query in a registered redirect URI"
            ),
        ]
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        if let scalar = node.scalar {
            if scalar.text == "parameter" {
                self = .parameter
                return
            }
            if ["none", "off"].contains(scalar.text) {
                decoder.report(
                    .valueNotAllowed, "the state cannot be switched off", at: node.span,
                    help: "if the provider drops it, write { in: redirect_uri, because: \"the reason, with a link\" }")
            } else {
                decoder.reportNotAllowed(node, allowed: ["parameter"], shape: Self.shape)
            }
            return nil
        }
        guard let section: Section = decoder.whole(node, Self.shape, mayBeEmpty: true) else { return nil }
        self = .redirectURI(because: section.because)
    }

    func json(_ filler: TemplateFiller) -> JSONValue? {
        guard case .redirectURI(let reason) = self else { return "parameter" }
        return Section(because: reason).json(filler)
    }
}
