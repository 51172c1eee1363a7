/// A provider with its inputs filled in: absolute URLs, nothing templated left. The only thing that the engine sees.
public struct Provider: Sendable {
    public let id: ProviderID
    public let name: String
    public let docs: String?
    public let display: DisplayRules
    /// The environment that was chosen.
    public let environment: String?
    public let issuer: String?
    /// Which other issuers are its own too; also widened by the metadata.
    public var issuerMatch: IssuerMatch
    public let discovery: DiscoveryMode?
    public let discoveryURL: WebURL?
    public var endpoints: [EndpointName: WebURL]
    /// The endpoints for clients that present a certificate, where they are others; also named by the metadata.
    public var mtlsEndpoints: [EndpointName: WebURL]
    /// How a client identifies itself; also widened by the metadata.
    public var client: ClientRules
    public var assertion: ResolvedAssertion
    public let redirects: [RedirectForm]
    public let scopes: ScopeRules
    public let authorization: AuthorizationRequestRules
    /// Whether authorization requests are pushed (RFC 9126), unless a sign-in says otherwise; also set by the metadata.
    public var pushesAuthorization: Bool
    /// How authorization requests are signed (RFC 9101); also set by the metadata.
    public var requestObject: ResolvedRequestObject
    /// Whether a callback must name the issuer (RFC 9207); also set by the metadata.
    public var demandsIssuerParameter: Bool
    /// What the provider calls the parameters of a callback.
    public let callbackRename: NamedList<String>
    /// The provider's error codes in a callback, with the standard's.
    public let callbackErrors: NamedList<String>
    /// The parameters of a callback that are kept.
    public let callbackCapture: NamedList<CallbackCapture>
    public let callbackVerification: CallbackVerification?
    /// How answers that are JWTs are signed; also said by the metadata.
    public var signedAnswers: SignedAnswers
    public internal(set) var token: ResolvedRequest
    public let tokenResponse: ResponseRules
    public internal(set) var refresh: ResolvedRequest
    public let refreshCredential: RefreshCredential
    public let clientCredentials: ResolvedGrant
    public let device: ResolvedDevice
    public let tokenExchange: ResolvedGrant
    public let jwtBearer: ResolvedJWTBearer
    public let refreshRotation: RefreshRotation
    /// What says when an access token ends, if the response does not.
    public let expirySource: ExpirySource
    /// How many seconds before its end an access token is renewed.
    public let refreshMargin: Int
    /// The accepted signature algorithms of an ID token; empty until the metadata or the default decides.
    public var signatureAlgorithms: [SignatureAlgorithm]
    /// Whether ID tokens are signed with the client's secret, and with nothing else.
    public let signsWithClientSecret: Bool
    /// The claims of an ID token that may be of another JSON type.
    public let coercedClaims: [CoercedClaim]
    /// Whether an ID token may leave out the nonce that was sent.
    public let acceptsMissingNonce: Bool
    /// How ID tokens are encrypted; `nil` if they are not.
    public let idTokenEncryption: TokenEncryption?
    /// How many seconds the clocks may differ.
    public let clockSkew: Int
    public let profileSource: ProfileSource?
    public internal(set) var profile: ResolvedRequest
    public let profileRoot: JSONPointer
    public let profileFormat: ResponseFormat
    /// Where the access token goes in the requests of the profile.
    public let profileTokenPlacement: TokenPlacement
    /// The further requests of the profile.
    public let profileRequests: [ProfileRequest]
    /// Others whose signed claims are believed in the profile.
    public let claimSources: [ClaimSource]
    public let claims: [Named<[JSONPointer]>]
    /// The claims of the first callback.
    public let callbackClaims: CallbackClaims?
    public let revocation: ResolvedRequest
    /// The tokens that a sign-out revokes, in this order.
    public let revokedTokens: [RevokedToken]
    /// Where a revocation has the access token, if that is no parameter.
    public let revocationTokenPlacement: TokenPlacement?
    public let revocationSuccess: SuccessRules
    public let introspection: ResolvedRequest
    public let logout: ResolvedRequest
    /// Whether a logout token may lack its end.
    public let acceptsMissingLogoutEnd: Bool
    /// Hosts that the access token may be sent to, besides those of the resources.
    public let apiHosts: [String]
    public internal(set) var apiHeaders: [Named<String>]
    public let apiScheme: String
    /// Whether the Authorization header has the access token alone, without a scheme.
    public let sendsBareToken: Bool
    /// Where the access token goes in calls of the API.
    public let apiTokenPlacement: TokenPlacement
    /// The resources whose URL is known.
    public internal(set) var resources: [Resource]
    /// Further token requests, by name.
    public let exchange: [Named<ExchangeStep>]
    public let connection: ConnectionRules
    /// What is known only at run time.
    package let late: LateRules
    /// The headers of calls whose values must not be seen, once filled.
    package internal(set) var hiddenHeaders: Set<String> = []
    /// Why an endpoint that is known only at run time is not known now.
    package internal(set) var unfilledEndpoints: [EndpointName: String] = [:]
    public let samples: Samples
    /// The values that filled the descriptor, defaults included.
    public let inputs: [String: String]
}

extension Provider {
    /// What the state is called in a callback: as it was sent, unless the descriptor says otherwise.
    public var stateParameter: String { callbackRename["state"] ?? authorization.rename["state"] ?? "state" }
}

/// A request's rules with everything filled in. It never changes, and a provider with its dozen of them is copied often:
/// hence no structure.
public final class ResolvedRequest: Sendable {
    public let method: RequestMethod
    public let body: BodyEncoding
    public let headers: [Named<String>]
    public let parameters: [Named<String>]
    public let rename: NamedList<String>
    public let omit: [String]
    /// The parameters that go in the query of the URL whatever the body is.
    public let queryParameters: [String]
    public let encode: NamedList<ParameterEncoding>

    /// Where the parameters go: a GET has no body.
    public var encoding: BodyEncoding { method == .get ? .query : body }

    /// What is filled at run time.
    package let late: LateRequest

    public convenience init(
        method: RequestMethod,
        body: BodyEncoding = .form,
        headers: [Named<String>] = [],
        parameters: [Named<String>] = [],
        rename: NamedList<String> = NamedList(),
        omit: [String] = [],
        queryParameters: [String] = [],
        encode: NamedList<ParameterEncoding> = NamedList()
    ) {
        self.init(
            method: method, body: body, headers: headers, parameters: parameters, rename: rename, omit: omit,
            queryParameters: queryParameters, encode: encode, late: LateRequest())
    }

    init(
        method: RequestMethod,
        body: BodyEncoding,
        headers: [Named<String>],
        parameters: [Named<String>],
        rename: NamedList<String>,
        omit: [String],
        queryParameters: [String],
        encode: NamedList<ParameterEncoding>,
        late: LateRequest
    ) {
        self.method = method
        self.body = body
        self.headers = headers
        self.parameters = parameters
        self.rename = rename
        self.omit = omit
        self.queryParameters = queryParameters
        self.encode = encode
        self.late = late
    }
}

/// The authorization request's rules with everything filled in.
public struct AuthorizationRequestRules: Sendable {
    public let parameters: [Named<String>]
    /// Parameters that are filled for each sign-in.
    package let lateParameters: [Named<Template>]
    public let offlineParameters: [Named<String>]
    public let reconsentParameters: [Named<String>]
    public let rename: NamedList<String>
    public let omit: [String]
    public let encode: NamedList<ParameterEncoding>
    public let responseType: String
    /// How the answer comes; `nil` if that is not asked for.
    public let responseMode: ResponseMode?
    public let state: StateRule
    /// The route of a page that reads its parameters behind `#ROUTE?`.
    public let fragmentRoute: String?
    /// What stands after `#` at the end of the URL.
    public let fragment: String?
    public let pkce: Safeguard
    public let nonce: Safeguard
    public let pushed: PushedAuthorizationRules
    public let prefersEphemeralSession: Bool
}
