package import CarnetDescriptors
import CarnetFoundation
package import CarnetProtocol

/// A provider that people sign in with, and the gateway's registration with it.
package struct GatewayProvider: Sendable {
    package internal(set) var id = ProviderID(rawValue: "")
    /// `nil` for a value that comes from where the command finds registrations otherwise.
    package internal(set) var clientID: String?
    package internal(set) var clientIDVariable: String?
    package internal(set) var clientSecret: SecretPlace?
    /// Scopes to request besides those of the descriptor.
    package internal(set) var scopes: [String] = []
    package internal(set) var inputs = NamedList<String>()
    package internal(set) var environment: String?
    /// Where a person's groups are in the claims: a name or a JSON Pointer.
    package internal(set) var groups = "groups"
    /// Why e-mail addresses count although the provider does not state that they are verified; `nil` if they do not.
    package internal(set) var trustsEmail: String?
    /// Whether people sign in with it. Otherwise, programs present its tokens alone.
    package internal(set) var signsIn = true
    /// Whether the provider leads back to the gateway after a sign-out there.
    package internal(set) var returnsAfterSignOut = false
    let node: YAMLNode

    package func line(of key: String) -> Int { node.line(of: key) }

    /// Where the provider is named.
    package var span: SourceSpan { node.span(of: "id") }
}

extension GatewayProvider: GatewaySection {
    init(at node: YAMLNode) { self.node = node }

    static let shorthand: String? = "id"

    static let keys: [Key<Self>] =
        [
            Key(
                "id", text: .provider, \.id, isRequired: true,
                "the provider: built in, or a file of a folder of providers"),
            Key("client_id", text: .string, \.clientID, "the client id; default: as for other commands"),
            Key(
                "client_id_env", text: .variable, \.clientIDVariable, "the environment variable that has the client id"),
        ] + SecretPlace.keys("client_secret", \.clientSecret, "the client secret; not in this file itself") + [
            Key("scopes", oneOrMore: .scope, \.scopes, "scopes to request besides the descriptor's"),
            Key("inputs", \.inputs, "values of the descriptor's inputs, such as a tenant"),
            Key("environment", text: .string, \.environment, "the environment of the descriptor, such as sandbox"),
            Key(
                "groups", text: .claim, \.groups,
                "the claim that has a person's groups, or a JSON Pointer to it; default: groups"),
            Key(
                "trust_email", text: .reason, \.trustsEmail,
                "why e-mail addresses count although the provider does not state that they are verified"),
            Key(
                "sign_in", \.signsIn,
                "whether people sign in with it; false for an issuer of bearer alone, which needs no client; default: true"
            ),
            Key(
                "post_logout_redirect", \.returnsAfterSignOut,
                "whether the provider leads back after a sign-out there, to ORIGIN\(GatewayPaths.signedOut), which you register as post-logout redirect URI; default: false"
            ),
        ]

    static func elsewhere(_ name: String) -> String? {
        switch name {
        case "issuer", "issuer_url", "authorization_url", "token_url", "discovery_url":
            "it is a key of a provider's descriptor: write providers/NAME.yaml"
        case "provider", "name": "it is id"
        case "secret": "it is client_secret_env or client_secret_file"
        case "post_logout_redirect_uri": "it is post_logout_redirect: true, once the URI is registered"
        default: nil
        }
    }
}

extension String: GatewayValue {
    static var shape: Shape { TextKind.string.shape }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let text = TextKind.string.read(node, &decoder) else { return nil }
        self = text
    }
}

/// Where a secret is: the keys `X`, `X_env` and `X_file`.
package enum SecretPlace: Hashable, Sendable {
    /// In the gateway file itself; lint reports it.
    case inline(Secret)
    case environment(String)
    /// A relative path is below the folder of the gateway file.
    case file(String)

    /// - Parameters:
    ///   - what: The value, in a sentence.
    ///   - kind: What stands in the gateway file itself.
    static func keys<Section: GatewaySection>(
        _ name: String, _ path: any WritableKeyPath<Section, SecretPlace?> & Sendable, _ what: String,
        of kind: TextKind<String> = .string, hasFile: Bool = true
    ) -> [Key<Section>] {
        func key(
            _ name: String, _ kind: TextKind<String>, _ summary: String,
            _ place: @escaping @Sendable (String) -> SecretPlace
        ) -> Key<Section> {
            Key(name, kind.shape, summary, isRequired: false) { node, section, decoder in
                guard let value = kind.read(node, &decoder) else { return }
                if section[keyPath: path] != nil {
                    decoder.report(
                        .valueNotAllowed, "the value is set twice", at: node.span,
                        help: "keep one of the keys that begin with \(name)")
                }
                section[keyPath: path] = place(value)
            }
        }
        let file = key("\(name)_file", .string, "the file that has it; a relative path is below this file's folder") {
            .file($0)
        }
        return [key(name, kind, what) { .inline(Secret($0)) }]
            + [key("\(name)_env", .variable, "the environment variable that has it") { .environment($0) }]
            + (hasFile ? [file] : [])
    }
}

/// An issuer whose access tokens programs may present.
package struct GatewayIssuer: Sendable {
    package internal(set) var provider = ProviderID(rawValue: "")
    /// The gateway's names in the tokens; the origin of each request if empty.
    package internal(set) var audiences: [String] = []
    /// Whether tokens that are no JWTs are sent to the introspection endpoint.
    package internal(set) var introspects = false
    let node: YAMLNode

    package var span: SourceSpan { node.span(of: "provider") }
}

extension GatewayIssuer: GatewaySection {
    init(at node: YAMLNode) { self.node = node }

    static let shorthand: String? = "provider"

    static let keys: [Key<Self>] = [
        Key("provider", text: .provider, \.provider, isRequired: true, "one of providers"),
        Key(
            "audience", oneOrMore: .string, \.audiences,
            "the gateway's name in access tokens, or a list; default: the origin of the request"),
        Key(
            "introspection", \.introspects,
            "whether tokens that are no JWTs are sent to the introspection endpoint (RFC 7662), for one issuer"),
    ]
}
