package import CarnetDescriptors
import CarnetFoundation
package import HTTPTypes

/// Sessions of people.
package struct GatewaySessionRules: Sendable {
    /// `files:FOLDER` or `postgresql://…`; `nil` if the command chooses.
    package internal(set) var store: SecretPlace?
    /// In seconds.
    package internal(set) var lifetime = 43_200
    /// In seconds; 0 for as long as `lifetime`.
    package internal(set) var idle = 0
    /// The key that encrypts cookies and records; `nil` if the command makes and keeps one.
    package internal(set) var key: SecretPlace?
    let node: YAMLNode

    package func line(of key: String) -> Int { node.line(of: key) }
}

extension GatewaySessionRules: GatewaySection {
    init(at node: YAMLNode) { self.node = node }

    static let keys: [Key<Self>] =
        SecretPlace.keys(
            "store", \.store, "where sessions and tokens are: files:FOLDER or a postgresql URL", of: .store,
            hasFile: false)
        + [
            Key(
                "lifetime", within: 60...31_536_000, \.lifetime, "how long a sign-in lasts, in seconds; default: 43200"),
            Key(
                "idle", within: 60...31_536_000, \.idle,
                "how long a sign-in lasts without a request, in seconds; default: as long as lifetime"),
        ] + SecretPlace.keys("key", \.key, "the key of cookies and records; not in this file itself")

    static func elsewhere(_ name: String) -> String? {
        switch name {
        case "redis", "redis_url": "there is no store on Redis: write store: files:FOLDER or a postgresql URL"
        case "cookie_secret", "secret": "it is key_env or key_file"
        case "expire", "ttl", "max_age", "cookie_expire": "it is lifetime, in seconds"
        default: nil
        }
    }
}

extension TextKind<String> {
    fileprivate static let store = TextKind("the address of a store") { text throws(TextProblem) in
        let kinds = ["files:", "postgresql://", "postgres://"]
        guard let kind = kinds.first(where: { text.hasPrefix($0) }), text.utf8.count > kind.utf8.count else {
            throw TextProblem(
                message: "this is not the address of a store", help: "write files:FOLDER or postgresql://HOST/DATABASE")
        }
        return text
    }
}

/// Which proxies may ask for decisions, and how they describe requests.
package struct GatewayProxyRules: Sendable {
    package enum Dialect: String, CaseIterable, Sendable {
        /// `X-Forwarded-Method`, `X-Forwarded-Proto`, `X-Forwarded-Host` and `X-Forwarded-Uri`.
        case forwarded
        /// `X-Original-Method` and `X-Original-URL`.
        case original
    }

    /// What each request to the decision endpoint has in `X-Gateway-Secret`.
    package internal(set) var secret: SecretPlace?
    var addresses: [AddressRange] = []
    package internal(set) var dialect = Dialect.forwarded
    /// Why the host of an absolute request line is the one that the proxy sends, in the dialect `original`.
    var sameHost: String?
    /// Headers of a client that the proxy removes besides `RemovedHeaders`.
    package internal(set) var removed: [HTTPField.Name] = []
    let node: YAMLNode

    package func line(of key: String) -> Int { node.line(of: key) }

    /// The addresses of the proxies; by default those of this machine.
    package var trusted: [AddressRange] { addresses.isEmpty ? AddressRange.loopback : addresses }

    /// Whether a peer may ask: any with the secret, if no addresses are written.
    func trusts(_ peer: IPAddress) -> Bool {
        addresses.isEmpty && secret != nil || trusted.contains { $0.contains(peer) }
    }
}

extension GatewayProxyRules.Dialect: GatewayValue {}

extension GatewayValue where Self: RawRepresentable<String> & CaseIterable {
    static var shape: Shape { .choice(allCases.map(\.rawValue)) }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let scalar = node.scalar, !scalar.isNull else {
            decoder.reportWrongType(node, expected: Self.shape)
            return nil
        }
        guard let value = Self(rawValue: scalar.text) else {
            decoder.reportNotAllowed(node, allowed: Self.allCases.map(\.rawValue))
            return nil
        }
        self = value
    }
}

extension GatewayProxyRules: GatewaySection {
    init(at node: YAMLNode) { self.node = node }

    static let keys: [Key<Self>] =
        SecretPlace.keys("secret", \.secret, "what the proxy sends in X-Gateway-Secret; not in this file itself") + [
            Key(
                "trusted", oneOrMore: .address, \.addresses,
                "the addresses of the proxies, or ranges; default: this machine, and with a secret every address"),
            Key(
                "dialect", \.dialect,
                "the headers that describe the request: forwarded (default) is X-Forwarded-Method, -Proto, -Host and -Uri; original is X-Original-Method and X-Original-URL"
            ),
            Key(
                "same_host", text: .reason, \.sameHost,
                "for dialect: original, the reason why the proxy never serves another host than that of X-Original-URL"),
            Key(
                "remove", oneOrMore: .header, \.removed,
                "headers of clients that the generated configurations remove, besides those that they always remove"),
        ]

    static func elsewhere(_ name: String) -> String? {
        switch name {
        case "trusted_proxies", "trusted_ips", "addresses", "ips": "it is trusted"
        case "headers": "it is dialect"
        default: nil
        }
    }
}

/// How the gateway's pages look.
package struct GatewayPageRules: Sendable {
    package internal(set) var name: String?
    package internal(set) var color: BrandColor?
    /// Whether the page of providers is left out if there is one.
    package internal(set) var skipsPage = false
}

extension GatewayPageRules: GatewaySection {
    init(at node: YAMLNode) {}

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        self.init(at: node)
        guard var entries = node.entries else {
            decoder.reportWrongType(node, expected: Self.shape)
            return nil
        }
        if let color = entries.first(where: { $0.key == "color" && $0.value.scalar?.isNull == true }) {
            Self.reportComment(at: color.keySpan, &decoder)
            entries.removeAll { $0.keySpan == color.keySpan }
        }
        Self.keys.read(entries, into: &self, &decoder, elsewhere: Self.elsewhere)
    }

    /// A colour as CSS writes it begins with what begins a comment in YAML.
    static func reportComment(at span: SourceSpan, _ decoder: inout DescriptorDecoder) {
        decoder.report(
            .emptyValue, "the colour has no value, because # begins a comment", at: span,
            help: "write it between quotes, such as \"#0A5C36\"")
    }

    static let keys: [Key<Self>] = [
        Key("name", text: .string, \.name, "the operator's name, in the title of each page"),
        Key("color", \.color, "the operator's colour, between quotes because # begins a comment"),
        Key("skip", \.skipsPage, "whether browsers go to the provider at once, if there is only one; default: false"),
    ]
}

/// What the log has besides what it needs.
package struct GatewayLogRules: Sendable {
    /// Whether it names people by their e-mail addresses.
    package internal(set) var showsEmail = false
}

extension GatewayLogRules: GatewaySection {
    init(at node: YAMLNode) {}

    static let keys: [Key<Self>] = [
        Key("email", \.showsEmail, "whether the log has the e-mail addresses of people; default: false")
    ]
}
