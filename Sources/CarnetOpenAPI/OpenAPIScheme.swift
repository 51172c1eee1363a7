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
    /// The URLs of the flows, as they are written.
    private(set) var authorization: String?
    private(set) var token: String?
    private(set) var refresh: String?
    private(set) var deviceAuthorization: String?
    /// The metadata document: of OpenID Connect Discovery, or of RFC 8414.
    private(set) var metadata: String?
    private(set) var scopes: [(id: String, title: String?)] = []
    private(set) var scopeIDs: Set<ByteKey> = []
    private(set) var flows: [String] = []
    /// Names that stand for no scope, such as `none`.
    private(set) var absentScopes: Set<ByteKey> = []

    var isToken: Bool { if case .other = kind { false } else { true } }

    /// Whether a default choice prefers it: it says who issues the tokens, or at least that they are tokens.
    var rank: Int {
        switch kind {
        case .oauth2, .openIDConnect: 0
        case .bearer: 1
        case .authorizationKey: 2
        case .other: 3
        }
    }

    /// Whether clients get tokens of their own; also by Swagger's name for the flow.
    var hasClientCredentials: Bool { flows.contains(where: ["clientCredentials", "application"].contains) }

    /// Whether each flow of the scheme is one without a page to sign in at.
    var hasNoPage: Bool {
        !flows.isEmpty && flows.allSatisfy(["clientCredentials", "application", "deviceAuthorization"].contains)
    }

    /// Whether the same authorization server issues the tokens of both.
    func hasServer(of other: OpenAPIScheme) -> Bool {
        func isSame(_ path: KeyPath<OpenAPIScheme, String?>) -> Bool {
            self[keyPath: path].map { other[keyPath: path]?.isSameBytes(as: $0) ?? false } ?? false
        }
        return isSame(\.authorization) || isSame(\.token) || isSame(\.metadata) || isSame(\.deviceAuthorization)
    }

    // MARK: Reading

    init(_ name: String, _ node: YAMLNode, at span: SourceSpan, isSwagger: Bool) {
        self.name = name
        self.span = span
        func text(_ key: String) -> String? { node.text(key) }
        switch text("type") {
        case "oauth2"?:
            kind = .oauth2
        case "openIdConnect"?:
            kind = .openIDConnect
            metadata = text("openIdConnectUrl")
            return
        case "http"? where !isSwagger:
            let scheme = text("scheme")?.lowercased() ?? ""
            kind = ["bearer", "dpop"].contains(scheme) ? .bearer : .other("the HTTP scheme \(scheme.quoted)")
            return
        case "apiKey"?:
            let isAuthorization = text("in") == "header" && text("name")?.lowercased() == "authorization"
            kind = isAuthorization ? .authorizationKey : .other("an API key")
            return
        case "basic"? where isSwagger:
            kind = .other("the HTTP scheme \("basic".quoted)")
            return
        case "mutualTLS"?:
            kind = .other("a client certificate")
            return
        case let type:
            kind = .other("the type \((type ?? "").quoted)")
            return
        }
        metadata = text("oauth2MetadataUrl")
        if isSwagger {
            readFlow(text("flow") ?? "", node)
        } else {
            for flow in node.entry("flows")?.value.entries ?? [] where !flow.key.hasPrefix("x-") {
                readFlow(flow.key, flow.value)
            }
        }
    }

    private mutating func readFlow(_ flow: String, _ node: YAMLNode) {
        flows.append(flow)
        authorization = authorization ?? node.text("authorizationUrl")
        token = token ?? node.text("tokenUrl")
        refresh = refresh ?? node.text("refreshUrl")
        deviceAuthorization = deviceAuthorization ?? node.text("deviceAuthorizationUrl")
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
    /// The string under a key, if there is one.
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
