package import CarnetDescriptors
package import HTTPTypes

/// The token of the signed-in person that the program of a route gets.
package struct GatewayRouteToken: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case access
        case id
    }

    package internal(set) var kind = Kind.access
    /// In `Authorization`, the token follows `Bearer`; in any other header it stands alone.
    package internal(set) var header = HTTPField.Name.authorization
    /// The audience of a token that the access token is exchanged for (RFC 8693); empty for the provider's own.
    package internal(set) var audience: String?
}

extension GatewayRouteToken: GatewaySection {
    init(at node: YAMLNode) {}

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        self.init(at: node)
        guard Self.keys.read(node, into: &self, &decoder, shorthand: Self.shorthand, elsewhere: Self.elsewhere) else {
            return nil
        }
        if kind == .id, let audience = node.entry("audience") {
            decoder.report(
                .valueNotAllowed, "an ID token is not exchanged, so it has the audience of the sign-in",
                at: audience.keySpan, help: "write kind: access, or leave audience out")
        }
    }

    static let shorthand: String? = "kind"

    static let keys: [Key<Self>] = [
        Key("kind", \.kind, isRequired: true, "access, or id for the ID token"),
        Key(
            "header", text: .tokenHeader, \.header,
            "the header that has the token; default: Authorization, where it follows Bearer"),
        Key(
            "audience", text: .string, \.audience,
            "the audience of another token, for which the provider exchanges the access token (RFC 8693)"),
    ]
}

extension GatewayRouteToken.Kind: GatewayValue {}

extension TextKind<HTTPField.Name> {
    fileprivate static let tokenHeader = TextKind("the name of a header") { text throws(TextProblem) in
        text.asciiLowercased == "authorization" ? .authorization : try HeaderNames.checked(text)
    }
}
