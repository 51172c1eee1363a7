package import CarnetDescriptors
package import CarnetFoundation
package import HTTPTypes

/// The content of a gateway file.
package struct GatewayRules: Sendable {
    var version = 1
    /// The gateway's own origin in browsers: its sign-in pages and callbacks are there.
    package internal(set) var origin = WebURL.unset
    /// At least one.
    package internal(set) var providers: [GatewayProvider] = []
    package internal(set) var routes: [GatewayRoute] = []
    /// The issuers whose access tokens programs may present, on routes with `acceptsTokens`.
    package internal(set) var bearer: [GatewayIssuer] = []
    /// In the order of the file.
    package internal(set) var headers = GatewayHeaders()
    package internal(set) var identityToken: GatewayIdentityToken?
    package internal(set) var session: GatewaySessionRules
    package internal(set) var proxy: GatewayProxyRules
    package internal(set) var page = GatewayPageRules()
    package internal(set) var log = GatewayLogRules()

    /// The groups that routes name.
    var namedGroups: Set<ByteKey> {
        Set(routes.flatMap(\.allow.conditions).flatMap(\.groups).map { ByteKey($0) })
    }

    /// The headers that identify the sender to the program, or give it a token; each with the line of the file that names it.
    package var programHeaders: [(name: HTTPField.Name, line: Int?)] {
        headers.all.map { ($0.name, $0.span.start.line) } + (identityToken.map { [($0.header, nil)] } ?? [])
            + routes.compactMap { route in route.token.map { ($0.header, route.line) } }
    }

    /// The provider with an id.
    package func provider(_ id: ProviderID) -> GatewayProvider? { providers.first { $0.id == id } }
}

extension GatewayRules: GatewaySection {
    init(at node: YAMLNode) {
        session = GatewaySessionRules(at: node)
        proxy = GatewayProxyRules(at: node)
    }

    static let keys: [Key<Self>] = [
        Key("gateway", within: 1...1, \.version, isRequired: true, "the version of the language of gateway files"),
        Key(
            "origin", text: .origin, \.origin, isRequired: true,
            "the gateway's own origin in browsers; its sign-in pages and callbacks are there"),
        Key(
            "providers", \.providers, isRequired: true,
            "the providers that people sign in with, in the order of the page"),
        Key(
            "routes", \.routes, isRequired: true,
            "who may send which requests; the most specific route decides, and a request without a route is refused"),
        Key("bearer", \.bearer, "the issuers whose access tokens programs may present, at routes with bearer: true"),
        Key("headers", \.headers, "the headers that identify the sender to the program behind the proxy"),
        Key(
            "identity_token", \.identityToken, "a signed JWT that identifies the sender to the program behind the proxy"
        ),
        Key("session", \.session, "sessions of people"),
        Key("proxy", \.proxy, "which proxies may ask for decisions"),
        Key("page", \.page, "how the gateway's pages look"),
        Key("log", \.log, "what the log has besides what it needs"),
    ]

    static func elsewhere(_ name: String) -> String? {
        switch name {
        case "upstreams", "upstream", "backend", "backends", "proxy_pass", "forward":
            "the gateway forwards nothing: the proxy's configuration names the program behind it"
        case "listen", "address", "port", "http_address":
            "it is an option of the command: --bind and --port, or --socket"
        case "cookie_secret", "secret", "key": "the key of the sessions is session.key_env or session.key_file"
        case "rules", "access", "policy", "policies": "it is routes"
        case "provider", "idp", "idps": "it is providers, a list"
        case "redirect_uri", "redirect_url", "base_url", "url": "it is origin"
        default: nil
        }
    }
}

extension WebURL {
    /// Stands for an origin that is missing, in a file that cannot be used.
    fileprivate static var unset: WebURL {
        guard let url = try? WebURL("https://gateway.invalid") else { preconditionFailure("it is a URL") }
        return url
    }
}
