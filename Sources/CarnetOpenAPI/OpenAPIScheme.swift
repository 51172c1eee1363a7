import CarnetDescriptors
import CarnetFoundation
import CarnetLint

/// A security scheme of an API's description (OpenAPI 3.2, section 4.27).
struct OpenAPIScheme {
    enum Kind: Equatable {
        case oauth2
        case openIDConnect
        /// The scheme Bearer or DPoP of the Authorization header.
        case bearer
        /// An "API key" in the Authorization header, as Swagger 2.0 describes a bearer token.
        case authorizationKey
        /// Something that is no access token, with its name for people.
        case other(String)
    }

    let name: String
    var key: ByteKey { ByteKey(name) }
    let kind: Kind
    let span: SourceSpan
    /// The name of the header with an API key.
    private(set) var header: String?
    /// The metadata document: of OpenID Connect Discovery, or of RFC 8414.
    private(set) var metadata: String?
    private(set) var scopes: [(id: String, title: String?)] = []
    private(set) var scopeIDs: Set<ByteKey> = []
    private(set) var flows: [Flow] = []
    /// Names that stand for no scope, such as `none`.
    private(set) var absentScopes: Set<ByteKey> = []

    var isToken: Bool { if case .other = kind { false } else { true } }

    /// A flow, with its URLs as they are written.
    struct Flow {
        let name: String
        let node: YAMLNode

        /// The names of OpenAPI 3 and Swagger 2.0, those for people first.
        static let names = [
            "authorizationCode", "accessCode", "implicit", "deviceAuthorization", "clientCredentials", "application",
            "password",
        ]
        var rank: Int { Self.names.firstIndex(of: name) ?? Self.names.count }
        var isKnown: Bool { rank < Self.names.count }
        var hasCode: Bool { rank < 2 }
        var hasPage: Bool { rank < 3 || !isKnown }
        /// Whether clients get tokens of their own.
        var isOfClient: Bool { rank == 4 || rank == 5 }
    }

    /// Whether a default choice prefers it: it says where people sign in, or who issues the tokens, or at least that they
    /// are tokens.
    var rank: Int {
        switch kind {
        case .oauth2 where metadata == nil && !flows.contains(where: \.hasCode):
            flows.isEmpty || flows.contains(where: \.hasPage) ? 1 : 2
        case .oauth2, .openIDConnect: 0
        case .bearer: 3
        case .authorizationKey: 4
        case .other: 5
        }
    }

    private var urls: [String] {
        flows.flatMap { ["authorizationUrl", "tokenUrl", "deviceAuthorizationUrl"].compactMap($0.node.text) }
            + [metadata].compactMap(\.self)
    }

    /// Whether the same authorization server issues the tokens of both.
    func hasServer(of other: OpenAPIScheme) -> Bool {
        !Set(urls.map(ByteKey.init)).isDisjoint(with: other.urls.map(ByteKey.init))
    }

    var hosts: Set<ByteKey> { Set(urls.compactMap { ServerBase($0)?.key }) }

    func hasHost(of other: OpenAPIScheme) -> Bool { !hosts.isDisjoint(with: other.hosts) }

    // MARK: Reading

    init(_ name: String, _ node: YAMLNode, at span: SourceSpan, isSwagger: Bool) {
        self.name = name
        self.span = span
        let text = node.text
        let (type, place) = (text("type"), text("in"))
        kind =
            switch type {
            case "oauth2"?: .oauth2
            case "openIdConnect"?: .openIDConnect
            case "http"? where ["bearer", "dpop"].contains(text("scheme")?.lowercased()) && !isSwagger: .bearer
            case "http"? where !isSwagger:
                .other("the HTTP scheme \((text("scheme")?.lowercased() ?? "").quoted)")
            case "basic"? where isSwagger: .other("the HTTP scheme \("basic".quoted)")
            case "apiKey"? where place == "header" && text("name")?.lowercased() == "authorization": .authorizationKey
            case "apiKey"?: .other("an API key")
            case "mutualTLS"?: .other("a client certificate")
            // A finding says already that a reference leads nowhere.
            case nil where node.entry("$ref") != nil: .other("")
            default: .other("the type \((type ?? "").quoted)")
            }
        if type == "apiKey", place == "header" { header = text("name") }
        if kind == .openIDConnect { metadata = text("openIdConnectUrl") }
        guard kind == .oauth2 else { return }
        metadata = text("oauth2MetadataUrl")
        if isSwagger {
            readFlow(text("flow") ?? "", node)
        } else {
            for flow in node.entry("flows")?.value.entries?.prefix(32) ?? [] where !flow.key.hasPrefix("x-") {
                readFlow(flow.key, flow.value)
            }
        }
        flows.sort { $0.rank < $1.rank }
    }

    private mutating func readFlow(_ flow: String, _ node: YAMLNode) {
        flows.append(Flow(name: flow, node: node))
        for scope in node.entry("scopes")?.value.entries ?? [] where !scope.key.hasPrefix("x-") {
            let title = scope.value.scalar?.text.oneLine(limit: 120)
            guard scope.key.lowercased() != "none" || title?.lowercased().hasPrefix("no scope") != true else {
                absentScopes.insert(ByteKey(scope.key))
                continue
            }
            guard scopeIDs.insert(ByteKey(scope.key)).inserted else { continue }
            scopes.append((scope.key, title == scope.key ? nil : title))
        }
    }
}

extension YAMLNode {
    func text(_ key: String) -> String? {
        guard let scalar = entry(key)?.value.scalar, !scalar.isNull, !scalar.text.isEmpty else { return nil }
        return scalar.text
    }
}

extension String {
    /// Between quotes, for a message.
    var quoted: String { "\"\(oneLine(limit: 60) ?? "")\"" }

    /// The text in one line, without what a reader cannot see; `nil` if nothing is left.
    func oneLine(limit: Int) -> String? {
        var line = ""
        var isAfterSpace = false
        for scalar in unicodeScalars.prefix(4 * limit) {
            if scalar.properties.isWhitespace || scalar.properties.isNoncharacterCodePoint
                || TerminalText.mustBeEscaped(scalar)
            {
                isAfterSpace = !line.isEmpty
            } else {
                if isAfterSpace { line.append(" ") }
                isAfterSpace = false
                line.unicodeScalars.append(scalar)
            }
        }
        if line.count > limit { line = line.prefix(limit - 1) + "…" }
        return line.isEmpty ? nil : line
    }
}
