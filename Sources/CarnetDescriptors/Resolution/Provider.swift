/// A provider with its inputs filled in: absolute URLs, nothing templated left. The only thing that the engine sees.
public struct Provider: Sendable {
    package let id: ProviderID
    package let name: String
    package let docs: String?
    package let display: DisplayRules
    /// The environment that was chosen.
    package let environment: String?
    package let issuer: String?
    /// Which other issuers are its own too; also widened by the metadata.
    package var issuerMatch: IssuerMatch
    package let discovery: DiscoveryMode?
    package let discoveryURL: WebURL?
    package var endpoints: [EndpointName: WebURL]
    /// The endpoints for clients that present a certificate, where they are others; also named by the metadata.
    package var mtlsEndpoints: [EndpointName: WebURL]
    /// How a client identifies itself; also widened by the metadata.
    package var client: ClientRules
    package var assertion: ResolvedAssertion
    package let redirects: [RedirectForm]
    package let scopes: ScopeRules
    package let authorization: AuthorizationRequestRules
    /// Whether authorization requests are pushed (RFC 9126), unless a sign-in says otherwise; also set by the metadata.
    package var pushesAuthorization: Bool
    /// How authorization requests are signed (RFC 9101); also set by the metadata.
    package var requestObject: ResolvedRequestObject
    /// Whether a callback must name the issuer (RFC 9207); also set by the metadata.
    package var demandsIssuerParameter: Bool
    /// What the provider calls the parameters of a callback.
    package let callbackRename: NamedList<String>
    /// The provider's error codes in a callback, with the standard's.
    package let callbackErrors: NamedList<String>
    /// The parameters of a callback that are kept.
    package let callbackCapture: NamedList<CallbackCapture>
    package let callbackVerification: CallbackVerification?
    /// How answers that are JWTs are signed; also said by the metadata.
    package var signedAnswers: SignedAnswers
    package internal(set) var token: ResolvedRequest
    package let tokenResponse: ResponseRules
    package internal(set) var refresh: ResolvedRequest
    package let refreshCredential: RefreshCredential
    package let clientCredentials: ResolvedGrant
    package let device: ResolvedDevice
    package let tokenExchange: ResolvedGrant
    package let jwtBearer: ResolvedJWTBearer
    package let refreshRotation: RefreshRotation
    /// What says when an access token ends, if the response does not.
    package let expirySource: ExpirySource
    /// How many seconds before its end an access token is renewed.
    package let refreshMargin: Int
    /// The accepted signature algorithms of an ID token; empty until the metadata or the default decides.
    package var signatureAlgorithms: [SignatureAlgorithm]
    /// Whether ID tokens are signed with the client's secret, and with nothing else.
    package let signsWithClientSecret: Bool
    /// The claims of an ID token that may be of another JSON type.
    package let coercedClaims: [CoercedClaim]
    /// Whether an ID token may leave out the nonce that was sent.
    package let acceptsMissingNonce: Bool
    /// How ID tokens are encrypted; `nil` if they are not.
    package let idTokenEncryption: TokenEncryption?
    /// How many seconds the clocks may differ.
    package let clockSkew: Int
    package let profileSource: ProfileSource?
    package internal(set) var profile: ResolvedRequest
    package let profileRoot: JSONPointer
    package let profileFormat: ResponseFormat
    /// Where the access token goes in the requests of the profile.
    package let profileTokenPlacement: TokenPlacement
    /// The further requests of the profile.
    package let profileRequests: [ProfileRequest]
    /// Others whose signed claims are believed in the profile.
    package let claimSources: [ClaimSource]
    package let claims: [Named<[JSONPointer]>]
    /// The claims of the first callback.
    package let callbackClaims: CallbackClaims?
    package let revocation: ResolvedRequest
    /// The tokens that a sign-out revokes, in this order.
    package let revokedTokens: [RevokedToken]
    /// Where a revocation has the access token, if that is no parameter.
    package let revocationTokenPlacement: TokenPlacement?
    package let revocationSuccess: SuccessRules
    package let introspection: ResolvedRequest
    package let logout: ResolvedRequest
    /// Whether a logout token may lack its end.
    package let acceptsMissingLogoutEnd: Bool
    /// Whether a page that the provider shows in a frame may end a session (OpenID Connect Front-Channel Logout).
    package let acceptsFrontChannelLogout: Bool
    /// Hosts that the access token may be sent to, besides those of the resources.
    package let apiHosts: [String]
    package internal(set) var apiHeaders: [Named<String>]
    package let apiScheme: String
    /// Whether the Authorization header has the access token alone, without a scheme.
    package let sendsBareToken: Bool
    /// Where the access token goes in calls of the API.
    package let apiTokenPlacement: TokenPlacement
    /// The resources whose URL is known.
    package internal(set) var resources: [Resource]
    /// Further token requests, by name.
    package let exchange: [Named<ExchangeStep>]
    package let connection: ConnectionRules
    /// What is known only at run time.
    package let late: LateRules
    /// The headers of calls whose values must not be seen, once filled.
    package internal(set) var hiddenHeaders: Set<String> = []
    /// Why an endpoint that is known only at run time is not known now.
    package internal(set) var unfilledEndpoints: [EndpointName: String] = [:]
    /// Why endpoints that the metadata names cannot be requested.
    package var refusedEndpoints: [EndpointName: String] = [:]
    /// The same of the endpoints for clients that present a certificate.
    package var refusedMTLSEndpoints: [EndpointName: String] = [:]
    package let samples: Samples
    /// The values that filled the descriptor, defaults included.
    package let inputs: [String: String]
}

extension Provider {
    /// What the state is called in a callback: as it was sent, unless the descriptor says otherwise.
    package var stateParameter: String { callbackRename["state"] ?? authorization.rename["state"] ?? "state" }
}

/// A request's rules with everything filled in. It never changes, and a provider with its dozen of them is copied often:
/// hence no structure.
package final class ResolvedRequest: Sendable {
    package let method: RequestMethod
    package let body: BodyEncoding
    package let headers: [Named<String>]
    package let parameters: [Named<String>]
    package let rename: NamedList<String>
    package let omit: [String]
    /// The parameters that go in the query of the URL whatever the body is.
    package let queryParameters: [String]
    package let encode: NamedList<ParameterEncoding>

    /// Where the parameters go: a GET has no body.
    package var encoding: BodyEncoding { method == .get ? .query : body }

    /// What is filled at run time.
    package let late: LateRequest

    package convenience init(
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
package struct AuthorizationRequestRules: Sendable {
    package let parameters: [Named<String>]
    /// Parameters that are filled for each sign-in.
    package let lateParameters: [Named<Template>]
    package let offlineParameters: [Named<String>]
    package let reconsentParameters: [Named<String>]
    package let rename: NamedList<String>
    package let omit: [String]
    package let encode: NamedList<ParameterEncoding>
    package let responseType: String
    /// How the answer comes; `nil` if that is not asked for.
    package let responseMode: ResponseMode?
    package let state: StateRule
    /// The route of a page that reads its parameters behind `#ROUTE?`.
    package let fragmentRoute: String?
    /// What stands after `#` at the end of the URL.
    package let fragment: String?
    package let pkce: Safeguard
    package let nonce: Safeguard
    package let pushed: PushedAuthorizationRules
    package let prefersEphemeralSession: Bool
}
