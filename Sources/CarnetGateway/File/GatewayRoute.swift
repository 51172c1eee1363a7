package import CarnetDescriptors

/// Which requests, and who may send them.
package struct GatewayRoute: Sendable {
    package internal(set) var title: String?
    /// In lower case, or `*.` and a domain. Every host that the file knows if empty.
    package internal(set) var hosts: [String] = []
    package internal(set) var path = "/**"
    /// Every method if empty.
    var methodList: [String] = []
    package internal(set) var allow = GatewayAllow.conditions([])
    /// Whether programs may present an access token here.
    package internal(set) var acceptsTokens = false
    /// The token of the signed-in person that the program behind gets.
    package internal(set) var token: GatewayRouteToken?
    /// Why programs may have service workers here.
    package internal(set) var serviceWorker: String?
    let node: YAMLNode

    /// `nil` for every method.
    package var methods: [String]? { methodList.isEmpty ? nil : methodList }
    /// Whether it decides about a method: `HEAD` is `GET` without a body.
    func takes(_ method: String) -> Bool {
        methods.map { $0.contains(method) || method == "HEAD" && $0.contains("GET") } ?? true
    }

    package var span: SourceSpan { node.span }
    var line: Int { node.firstLine }

    /// `/a/b` of a route for all below `/a/b/`.
    var folder: String? {
        let name = path.dropLast("/**".count)
        return path.hasSuffix("/**") && !name.isEmpty && !name.contains { "*{".contains($0) } ? String(name) : nil
    }
}

extension GatewayRoute: GatewaySection {
    init(at node: YAMLNode) { self.node = node }

    static let keys: [Key<Self>] = [
        Key("title", text: .string, \.title, "a label for logs and for check"),
        Key(
            "host", oneOrMore: .host, \.hosts,
            "the host, *. and a domain, or a list; default: each host of this file, for paths that no route of the host has"
        ),
        Key("path", text: .path, \.path, "the path, in which {name} is one segment, and /** all below; default: /**"),
        Key(
            "methods", oneOrMore: .method, \.methodList, "the methods, or one; GET includes HEAD; default: every method"
        ),
        Key("allow", \.allow, isRequired: true, "who may send the requests"),
        Key(
            "bearer", \.acceptsTokens,
            "whether programs may present an access token of one of the issuers in bearer; default: false"),
        Key("token", \.token, "the signed-in person's own token, for the program behind; default: none"),
        Key(
            "service_worker", text: .reason, \.serviceWorker,
            "why the program may install a service worker, which can read sign-ins at other hosts than the origin"),
    ]

    static func elsewhere(_ name: String) -> String? {
        switch name {
        case "hosts", "domain", "server_name": "it is host, which may be a list"
        case "paths", "url", "uri", "prefix": "it is path, and /** at its end stands for all below"
        case "group", "groups", "email", "email_domain", "scope", "provider", "claim", "subject", "anyone", "signed_in":
            "it is a part of allow: allow: { \(name): … }"
        case "require", "access", "policy", "who": "it is allow"
        case "deny", "refuse": "a request that no route allows is refused"
        case "upstream", "proxy_pass", "backend":
            "the gateway forwards nothing: the proxy's configuration names the program"
        default: nil
        }
    }
}

/// Who may send a request.
package enum GatewayAllow: Sendable {
    /// Also without a sign-in.
    case anyone
    /// Every signed-in person, and a program with a token where the route takes tokens.
    case signedIn
    /// One of these must be met.
    case conditions([GatewayCondition])

    var conditions: [GatewayCondition] {
        if case .conditions(let conditions) = self { conditions } else { [] }
    }
}

extension GatewayAllow: GatewayValue {
    private static let words = ["anyone", "signed_in"]

    /// What to write for a word of other programs, or for the value of a condition.
    private static func meant(by text: String) -> String? {
        switch text.lowercased() {
        case "everyone", "everybody", "all", "public", "any", "*": "did you mean \"anyone\"?"
        case "authenticated", "users", "login": "did you mean \"signed_in\"?"
        case _ where text.contains("@") && !text.hasPrefix("@"): "write allow: { email: \(text) }"
        default: nil
        }
    }

    static var shape: Shape {
        .either([.choice(words), GatewayCondition.shape, .list(of: GatewayCondition.shape)])
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        if let scalar = node.scalar, !scalar.isNull {
            switch scalar.text {
            case "anyone": self = .anyone
            case "signed_in": self = .signedIn
            case let text:
                if let meant = Self.meant(by: text) {
                    decoder.report(
                        .valueNotAllowed, "\"\(text)\" is not allowed here", at: node.span, help: meant)
                } else {
                    decoder.reportNotAllowed(node, allowed: Self.words, shape: Self.shape)
                }
                return nil
            }
            return
        }
        guard node.entries != nil || node.elements != nil else {
            decoder.reportWrongType(node, expected: Self.shape)
            return nil
        }
        if node.elements?.isEmpty == true {
            decoder.report(.emptyValue, "nobody is allowed", at: node.span, help: "leave the route out to refuse all")
        }
        self = .conditions((node.elements ?? [node]).compactMap { GatewayCondition($0, &decoder) })
    }
}

/// All keys must be met; of the values of one key, one is enough.
package struct GatewayCondition: Sendable {
    package internal(set) var providers: [ProviderID] = []
    package internal(set) var emailDomains: [String] = []
    package internal(set) var emails: [String] = []
    package internal(set) var subjects: [String] = []
    package internal(set) var groups: [String] = []
    package internal(set) var clientIDs: [String] = []
    package internal(set) var claims = NamedList<ClaimRequirement>()
    /// Why every account of the providers may open the route.
    package internal(set) var signedIn: String?
    var scope: [String] = []
    var allOf: [String] = []
    var anyOf: [String] = []
    let node: YAMLNode

    package var scopes: ScopeRequirement { ScopeRequirement(allOf: scope + allOf, anyOf: anyOf) }
    package var span: SourceSpan { node.span }
}

extension GatewayCondition: GatewaySection {
    init(at node: YAMLNode) { self.node = node }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        self.init(at: node)
        guard let entries = node.entries else {
            decoder.reportWrongType(node, expected: Self.shape)
            return nil
        }
        if entries.isEmpty {
            decoder.report(
                .emptyValue, "the condition is empty", at: node.span,
                help: "write allow: signed_in for everybody who signed in")
        }
        Self.keys.read(entries, into: &self, &decoder, elsewhere: Self.elsewhere)
    }

    static let keys: [Key<Self>] = [
        Key("provider", oneOrMore: .provider, \.providers, "the provider that the sender signed in with"),
        Key("email_domain", oneOrMore: .emailDomain, \.emailDomains, "the domain of the verified e-mail address"),
        Key("email", oneOrMore: .email, \.emails, "the verified e-mail address"),
        Key("subject", oneOrMore: .string, \.subjects, "the provider's id of the account"),
        Key("group", oneOrMore: .string, \.groups, "a group of the account, as the provider names it"),
        Key("client_id", oneOrMore: .string, \.clientIDs, "the client that the program's token was issued to"),
        Key("claim", \.claims, "claims, or JSON Pointers to them, each with the values of which the sender needs one"),
        Key("scope", one: .scope, \.scope, "the scope that the access token or the sign-in needs"),
        Key("all_of", oneOrMore: .scope, \.allOf, "scopes of which all are needed"),
        Key("any_of", oneOrMore: .scope, \.anyOf, "scopes of which one is needed"),
        Key(
            "signed_in", text: .reason, \.signedIn,
            "why everybody who can sign in may send the requests, where anyone can register; it demands nothing"),
    ]

    static func elsewhere(_ name: String) -> String? {
        switch name {
        case "domain", "domains", "email_domains": "it is email_domain"
        case "emails", "user", "users", "mail": "it is email, or subject with the provider's id of the account"
        case "groups", "role", "roles", "team", "teams", "org": "it is group"
        case "scopes": "it is scope, or a list in all_of or any_of"
        case "claims": "it is claim"
        case "sub", "id": "it is subject"
        case "providers", "issuer", "idp": "it is provider"
        case "anyone": "write allow: anyone"
        default: nil
        }
    }
}

extension Key where Section == GatewayCondition {
    /// One scope, in a list because requirements are lists.
    fileprivate init(
        _ name: String, one kind: TextKind<String>, _ path: any WritableKeyPath<Section, [String]> & Sendable,
        _ summary: String
    ) {
        self.init(name, kind.shape, summary, isRequired: false) { node, section, decoder in
            section[keyPath: path] = kind.read(node, &decoder).map { [$0] } ?? []
        }
    }
}
