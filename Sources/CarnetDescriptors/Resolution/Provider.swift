/// A provider with its inputs filled in: absolute URLs, nothing templated left. The only thing that the engine sees.
public struct Provider: Sendable {
    public let id: ProviderID
    public let name: String
    public let docs: String?
    /// The environment that was chosen.
    public let environment: String?
    public let issuer: String?
    /// Which other issuers are its own too; also widened by the metadata.
    public var issuerMatch: IssuerMatch
    public let discovery: DiscoveryMode?
    public let discoveryURL: WebURL?
    public var endpoints: [EndpointName: WebURL]
    /// How a client identifies itself; also widened by the metadata.
    public var client: ClientRules
    public var assertion: ResolvedAssertion
    public let redirects: [RedirectForm]
    public let scopes: ScopeRules
    public let authorization: AuthorizationRequestRules
    /// Whether a callback must name the issuer (RFC 9207); also set by the metadata.
    public var demandsIssuerParameter: Bool
    /// What the provider calls the parameters of a callback.
    public let callbackRename: NamedList<String>
    /// The provider's error codes in a callback, with the standard's.
    public let callbackErrors: NamedList<String>
    public let token: ResolvedRequest
    public let tokenResponse: ResponseRules
    public let refresh: ResolvedRequest
    public let refreshCredential: RefreshCredential
    /// How many seconds before its end an access token is renewed.
    public let refreshMargin: Int
    /// The accepted signature algorithms of an ID token; empty until the metadata or the default decides.
    public var signatureAlgorithms: [SignatureAlgorithm]
    /// Whether an ID token may leave out the nonce that was sent.
    public let acceptsMissingNonce: Bool
    /// How ID tokens are encrypted; `nil` if they are not.
    public let idTokenEncryption: IDTokenEncryption?
    /// How many seconds the clocks may differ.
    public let clockSkew: Int
    public let profileSource: ProfileSource?
    public let profile: ResolvedRequest
    public let profileRoot: JSONPointer
    public let claims: [Named<[JSONPointer]>]
    public let revocation: ResolvedRequest
    public let logout: ResolvedRequest
    /// Hosts that the access token may be sent to, besides those of the resources.
    public let apiHosts: [String]
    public let apiHeaders: [Named<String>]
    public let apiScheme: String
    public let resources: [Resource]
    public let samples: Samples
    /// The values that filled the descriptor, defaults included.
    public let inputs: [String: String]
}

extension Provider {
    /// What the state is called in a callback: as it was sent, unless the descriptor says otherwise.
    public var stateParameter: String { callbackRename["state"] ?? authorization.rename["state"] ?? "state" }
}

/// A request's rules with everything filled in.
public struct ResolvedRequest: Sendable {
    public let method: RequestMethod
    public let body: BodyEncoding
    public let headers: [Named<String>]
    public let parameters: [Named<String>]
    public let rename: NamedList<String>
    public let omit: [String]
    /// The parameters that go in the query of the URL whatever the body is.
    public let queryParameters: [String]
    public let encode: NamedList<ParameterEncoding>

    public init(
        method: RequestMethod,
        body: BodyEncoding = .form,
        headers: [Named<String>] = [],
        parameters: [Named<String>] = [],
        rename: NamedList<String> = NamedList(),
        omit: [String] = [],
        queryParameters: [String] = [],
        encode: NamedList<ParameterEncoding> = NamedList()
    ) {
        self.method = method
        self.body = body
        self.headers = headers
        self.parameters = parameters
        self.rename = rename
        self.omit = omit
        self.queryParameters = queryParameters
        self.encode = encode
    }
}

/// The authorization request's rules with everything filled in.
public struct AuthorizationRequestRules: Sendable {
    public let parameters: [Named<String>]
    public let offlineParameters: [Named<String>]
    public let reconsentParameters: [Named<String>]
    public let rename: NamedList<String>
    public let omit: [String]
    public let encode: NamedList<ParameterEncoding>
    public let responseType: String
    /// The route of a page that reads its parameters behind `#ROUTE?`.
    public let fragmentRoute: String?
    /// What stands after `#` at the end of the URL.
    public let fragment: String?
    public let pkce: Safeguard
    public let nonce: Safeguard
    public let prefersEphemeralSession: Bool
}
