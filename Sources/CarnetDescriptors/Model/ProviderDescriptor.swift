public import CarnetFoundation

/// A provider as in its YAML file: templates are not filled, and no metadata is fetched.
public struct ProviderDescriptor: SharedValue, Sendable {
    @usableFromInline package var shared: Shared<DescriptorRules>

    init(_ rules: consuming DescriptorRules) { shared = Shared(rules) }

    public var id: ProviderID { shared.value.id }
    public var name: String { shared.value.name }
    public var docs: String? { shared.value.docs }
}

/// Everything a descriptor says.
@usableFromInline
package struct DescriptorRules: DescriptorSection, Sendable {
    package internal(set) var format = FormatVersion()
    package internal(set) var id = ProviderID(rawValue: "")
    package internal(set) var name = ""
    package internal(set) var parent: ProviderID?
    package internal(set) var docs: String?
    package internal(set) var status = ProviderStatus.open
    package internal(set) var accounts = AccountHolders.anyone
    package internal(set) var register = RegisterRules()
    package internal(set) var display = DisplayRules()
    package internal(set) var verified: Verification?
    package internal(set) var notes: [Note] = []
    package internal(set) var inputs = NamedList<InputRules>()
    package internal(set) var environments = NamedList<EnvironmentRules>()
    /// The environment that this is the variant for.
    package internal(set) var environment: String?
    var variants: [Named<ProviderDescriptor>] = []
    /// Whether the host named the place that the file came from, which a registry finds out.
    package internal(set) var isFromNamedPlace = true
    package internal(set) var resource: Template?
    package internal(set) var issuer: Template?
    package internal(set) var issuerMatch = IssuerRule.exact
    package internal(set) var discovery: DiscoveryMode?
    package internal(set) var discoveryURL: Template?
    package internal(set) var endpoints = NamedEndpoints()
    package internal(set) var client = ClientRules()
    package var redirects: [RedirectForm] = []
    @usableFromInline package internal(set) var scopes = ScopeRules()
    package internal(set) var authorization = AuthorizationRules()
    package internal(set) var callback = CallbackRules()
    package internal(set) var token = TokenRules()
    package internal(set) var refresh = RefreshRules()
    package internal(set) var clientCredentials = GrantRules()
    package internal(set) var device = DeviceRules()
    package internal(set) var tokenExchange = GrantRules()
    package internal(set) var jwtBearer = JWTBearerRules()
    package internal(set) var exchange = NamedList<ExchangeStep>()
    package internal(set) var connection = ConnectionRules()
    package internal(set) var tables = NamedList<NamedList<String>>()
    package internal(set) var trustedHosts: [HostPattern] = []
    package internal(set) var idToken = IDTokenRules()
    package internal(set) var accessToken = AccessTokenRules()
    package internal(set) var profile = ProfileRules()
    package internal(set) var revocation = RevocationRules()
    package internal(set) var introspection = IntrospectionRules()
    package internal(set) var logout = LogoutRules()
    package internal(set) var api = APIRules()
    package internal(set) var resources: [ResourceEntry] = []
    package internal(set) var samples = Samples()

    static func elsewhere(_ name: String) -> String? { NamesElsewhere.atTop(name) }

    /// The paths of a key in the language.
    static func paths(to name: String) -> [String] {
        keys.contains { $0.description.name == name } ? [name] : keys.map(\.description).paths(to: name)
    }

    static let keys: [Key<Self>] = [
        Key("carnet", \.format, isRequired: true, "the version of the descriptor language: 1"),
        Key("id", \.id, isRequired: true, "the id that selects the provider; the file name is ID.yaml"),
        Key("name", \.name, isRequired: true, "the name to show to users"),
        Key("extends", \.parent, "the id of the provider to inherit from; keys of this file override it"),
        Key("docs", \.docs, "a link to the provider's documentation"),
        Key(
            "status", \.status, "whether the provider accepts new applications, and until when it works; default: open"),
        Key(
            "accounts", \.accounts,
            "who can have an account: anyone can register, or administrators choose the members; default: anyone"),
        Key("register", \.register, "how an application is registered at the provider"),
        Key("display", \.display, "how the provider is shown to users"),
        Key("verified", \.verified, "when and how the facts in this file were checked"),
        Key("notes", \.notes, "reasons for keys of this file"),
        Key(
            "inputs", \.inputs,
            "values from the host, such as a domain or a tenant; available as {name}, in pointers of profile and token.response behind a slash: /{name} is the name of a member, or a pointer that starts with /"
        ),
        Key("environments", \.environments, "environments of the provider, such as sandbox, with the keys that differ"),
        Key(
            "resource", \.resource,
            "the protected resource that all tokens are for (RFC 8707). If there is no issuer, the metadata of the resource names it (RFC 9728)"
        ),
        Key("issuer", \.issuer, "the issuer identifier (OpenID Connect Discovery, section 3; RFC 8414, section 2)"),
        Key(
            "issuer_match", \.issuerMatch,
            "which issuers of metadata, callbacks and ID tokens are accepted; default: exact"),
        Key(
            "discovery", \.discovery,
            "whether the metadata document is fetched; default: only if an endpoint is missing"),
        Key("discovery_url", \.discoveryURL, "the URL of the metadata document, if it is not the well-known one"),
        Key("endpoints", \.endpoints, "endpoint URLs, which override the metadata's"),
        Key("client", \.client, "how a client authenticates"),
        Key(
            "redirects", \.redirects,
            "the forms of redirect URI that the provider accepts, such as {bundle_id}:/callback"),
        Key("scopes", \.scopes, "the scopes: which are requested, and what each means"),
        Key("authorization", \.authorization, "the authorization request (RFC 6749, section 4.1.1)"),
        Key("callback", \.callback, "the authorization response (RFC 6749, section 4.1.2)"),
        Key("token", \.token, "the token request and its response (RFC 6749, sections 4.1.3 and 5)"),
        Key(
            "refresh", \.refresh,
            "the refresh request (RFC 6749, section 6); missing keys except parameters are inherited from token"),
        Key(
            "client_credentials", \.clientCredentials,
            "the client credentials grant (RFC 6749, section 4.4), {} if it has no key of its own; missing keys except parameters are inherited from token"
        ),
        Key("device", \.device, "the device flow, a sign-in on another device (RFC 8628)"),
        Key(
            "token_exchange", \.tokenExchange,
            "token exchange (RFC 8693); missing keys except parameters are inherited from token"),
        Key(
            "jwt_bearer", \.jwtBearer,
            "the JWT bearer grant (RFC 7523); missing keys except parameters are inherited from token"),
        Key("exchange", \.exchange, "requests that exchange the tokens for others, in this order"),
        Key("connection", \.connection, "requests and values after the tokens are saved"),
        Key("tables", \.tables, "table -> value -> its replacement, for the template function map"),
        Key("trusted_hosts", \.trustedHosts, "the allowed hosts of URLs whose host is known only at run time"),
        Key("id_token", \.idToken, "how the ID token is validated (OpenID Connect Core, section 3.1.3.7)"),
        Key(
            "access_token", \.accessToken,
            "how a resource server validates access tokens that are JWTs (RFC 9068, section 4)"),
        Key("profile", \.profile, "the user's profile: the source and the names of the claims"),
        Key("revocation", \.revocation, "the revocation request (RFC 7009, section 2.1)"),
        Key("introspection", \.introspection, "the introspection request (RFC 7662, section 2.1) and its response"),
        Key("logout", \.logout, "the sign-out request (OpenID Connect RP-Initiated Logout, section 2)"),
        Key("api", \.api, "how requests to the provider's resources are made"),
        Key("resources", \.resources, "resources that granted scopes allow"),
        Key("samples", \.samples, "redacted responses of the real provider; the sandbox returns them"),
    ]

    /// What each file says for itself: who the provider is, and the evidence for what the file says.
    package static let ownKeys: Set<String> = ["carnet", "id", "name", "extends", "verified", "notes"]

    /// Checks what can be said about a file before what it extends is known.
    static func check(extending root: YAMLNode, _ decoder: inout DescriptorDecoder) {
        decoder.reading(aPart: true) { _ = DescriptorRules(root, &$0) }
        for key in keys where key.description.isRequired && root.entry(key.description.name)?.value.isNull != false {
            decoder.reportMissingKey(key.description, in: root)
        }
    }
}

/// The version of the descriptor language.
package struct FormatVersion: BoundedInteger, Hashable {
    static var range: ClosedRange<Int> { 1...1 }
    package let number: Int

    init(_ value: Int = 1) { number = value }
    var value: Int { number }
}
