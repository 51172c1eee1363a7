/// How a client identifies itself at the token endpoint.
public enum ClientAuthenticationMethod: String, DescriptorChoice, Codable, Sendable {
    /// A public client: `client_id` and no secret.
    case none
    case clientSecretBasic = "client_secret_basic"
    case clientSecretPost = "client_secret_post"

    public var usesSecret: Bool { self != .none }
}

/// How id and secret are encoded before the Basic scheme's base64.
public enum BasicEncoding: String, DescriptorChoice, Sendable {
    /// Percent-encoded first, as RFC 6749, section 2.3.1 says, with a space as `%20`.
    case percent
    /// As they are, for servers that do not decode.
    case raw
}

public struct ClientRules: Sendable {
    public internal(set) var authentication: [ClientAuthenticationMethod] = [
        .clientSecretBasic, .clientSecretPost, .none,
    ]
    public internal(set) var basicEncoding = BasicEncoding.percent
    public internal(set) var dpopBoundAccessTokens = false

    init() {}
}

extension ClientRules: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key(
            "authentication",
            \.authentication,
            "the accepted methods, best first; a registration with a secret uses the first that has one, another the first without"
        ),
        Key(
            "dpop_bound_access_tokens", \.dpopBoundAccessTokens,
            "whether tokens are bound to a key of each sign-in (RFC 9449), unless a registration says otherwise"),
        Key("basic_encoding", \.basicEncoding, "how id and secret are encoded in client_secret_basic"),
    ]
}

/// A form of redirect URI, such as `{bundle_id}:/oauth2callback`; a name in braces stands for any text without `/`,
/// `{path}` for any text.
public struct RedirectForm: Hashable, Sendable, CustomStringConvertible {
    public let template: Template

    public var description: String { template.source }
}

extension RedirectForm: DescriptorValue {
    static var shape: Shape {
        .text(
            "a redirect URI, in which {name} stands for any text without / and {path} for any text",
            pattern: Template.pattern,
            takesScalars: true
        )
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let template = Template(node, &decoder) else { return nil }
        self.template = template
    }
}
