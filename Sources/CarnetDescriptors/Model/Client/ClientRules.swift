/// How a client authenticates at the token endpoint.
public enum ClientAuthenticationMethod: String, DescriptorChoice, Codable, Sendable {
    /// A public client: `client_id` and no secret.
    case none
    case clientSecretBasic = "client_secret_basic"
    case clientSecretPost = "client_secret_post"
    /// An assertion signed with the secret (OpenID Connect Core, section 9).
    case clientSecretJWT = "client_secret_jwt"
    /// An assertion signed with the client's private key (OpenID Connect Core, section 9; RFC 7523).
    case privateKeyJWT = "private_key_jwt"
    /// A certificate of an authority that the server trusts, in the TLS handshake (RFC 8705, section 2.1).
    case tlsClientAuth = "tls_client_auth"
    /// A self-signed, registered certificate (RFC 8705, section 2.2).
    case selfSignedTLSClientAuth = "self_signed_tls_client_auth"

    package var usesSecret: Bool { self != .none && !usesKey && !usesCertificate }
    package var usesCertificate: Bool { self == .tlsClientAuth || self == .selfSignedTLSClientAuth }
    package var usesKey: Bool { self == .privateKeyJWT }
    /// Whether the client sends an assertion.
    package var usesAssertion: Bool { self == .clientSecretJWT || self == .privateKeyJWT }
}

/// How id and secret are encoded before the Basic scheme's base64.
package enum BasicEncoding: String, DescriptorChoice, Sendable {
    /// Percent-encoded, as RFC 6749, section 2.3.1 requires, with a space as `%20`.
    case percent
    /// Unchanged, for servers that do not decode.
    case raw
}

@usableFromInline
package struct ClientRules: DescriptorSection, Sendable {
    /// The methods that the descriptor names; the metadata adds and reorders nothing then.
    package internal(set) var authentication: [ClientAuthenticationMethod]?
    /// The encoding that the descriptor names; no other is tried then.
    package internal(set) var basicEncoding: BasicEncoding?
    package internal(set) var dpopBoundAccessTokens = false
    package internal(set) var certificateBoundAccessTokens = false
    package internal(set) var assertion = AssertionRules()
    /// The client id of everybody who registers none.
    package internal(set) var publishedID: String?

    package static let defaultMethods: [ClientAuthenticationMethod] = [.clientSecretBasic, .clientSecretPost, .none]

    /// The accepted methods, as far as they are known without metadata.
    package var methods: [ClientAuthenticationMethod] { authentication ?? Self.defaultMethods }

    static func elsewhere(_ name: String) -> String? {
        NamesElsewhere.credential("client" + name) ?? NamesElsewhere.credential(name)
    }

    static let keys: [Key<Self>] = [
        Key(
            "authentication", \.authentication,
            "the accepted methods, best first; a registration uses the first that fits its credentials: a certificate, a key, a secret, or none"
        ),
        Key(
            "dpop_bound_access_tokens", \.dpopBoundAccessTokens,
            "whether tokens are bound to a key of each sign-in (RFC 9449); a registration can override it; default: false"
        ),
        Key(
            "tls_client_certificate_bound_access_tokens", \.certificateBoundAccessTokens,
            "whether tokens are bound to the client certificate (RFC 8705, section 3); a registration can override it; default: false"
        ),
        Key(
            "basic_encoding", \.basicEncoding,
            "the encoding of id and secret in client_secret_basic; default: percent, and raw if the server then refuses the client"
        ),
        Key("assertion", \.assertion, "the JWT of private_key_jwt and client_secret_jwt (RFC 7523)"),
        Key("published_id", \.publishedID, "a client id that the provider publishes for everybody who has none"),
    ]
}

/// A form of redirect URI, such as `{bundle_id}:/oauth2callback`; a name in braces stands for any text without `/`,
/// `{path}` for any text.
package struct RedirectForm: Hashable, Sendable, CustomStringConvertible {
    package let template: Template

    package var description: String { template.source }
}

extension RedirectForm: DescriptorValue {
    static var shape: Shape {
        .text(
            "a redirect URI, in which {name} stands for any string without / and {path} for any string",
            pattern: Template.pattern, takesScalars: true)
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let template = Template(node, &decoder) else { return nil }
        self.template = template
    }
}

@usableFromInline
@dynamicMemberLookup
package struct ResolvedClient: Sendable {
    @usableFromInline package let described: ClientRules
    /// The accepted methods, best first; those of the metadata if the descriptor names none.
    package private(set) var authentication: [ClientAuthenticationMethod]
    /// The methods that the metadata announces, if the descriptor names none. Many servers omit `none`.
    package private(set) var announced: [ClientAuthenticationMethod] = []
    package var assertion: ResolvedAssertion

    init(_ rules: ClientRules, with resolver: InputResolver) throws(ResolutionError) {
        described = rules
        authentication = rules.methods
        assertion = try ResolvedAssertion(rules.assertion, resolver)
    }

    @inlinable @inline(__always)
    package subscript<Value>(dynamicMember key: KeyPath<ClientRules, Value>) -> Value { described[keyPath: key] }

    /// Accepts the methods that the server's metadata announces, unless the descriptor names its methods.
    ///
    /// Announced methods with a secret come before those that are not announced. The others stay, for a registration
    /// that names one, and because the metadata of many servers omits `none`.
    package mutating func accept(announced methods: [ClientAuthenticationMethod]) {
        guard described.authentication == nil else { return }
        announced = methods
        let withSecret = [.clientSecretBasic, .clientSecretPost, .clientSecretJWT].filter(methods.contains)
        let others = methods.filter { $0.usesKey || $0.usesCertificate }
        authentication = withSecret + ClientRules.defaultMethods.filter { !withSecret.contains($0) } + others
    }
}
