/// The authorization request (RFC 6749, section 4.1.1).
@usableFromInline
package struct AuthorizationRules: Sendable {
    package internal(set) var parameters = NamedList<Template>()
    package internal(set) var offlineParameters = NamedList<Template>()
    package internal(set) var reconsentParameters = NamedList<Template>()
    package internal(set) var rename = NamedList<String>()
    package internal(set) var omit: [String] = []
    package internal(set) var encode = NamedList<ParameterEncoding>()
    package internal(set) var responseType = "code"
    package internal(set) var responseMode: ResponseMode?
    package internal(set) var state = StateRule.parameter
    package internal(set) var fragmentRoute: URLFragment?
    package internal(set) var fragment: URLFragment?
    package internal(set) var pkce = PKCERule.required(.base64url)
    package internal(set) var nonce = NonceRule.required
    package internal(set) var pushed = PushedAuthorizationRules()
    package internal(set) var requestObject = RequestObjectRules()
    package internal(set) var prefersEphemeralSession = false

    init() {}
}

extension AuthorizationRules: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("parameters", \.parameters, in: .authorization, "parameters of every request"),
        Key("offline_parameters", \.offlineParameters, "additional parameters if a refresh token is requested"),
        Key(
            "reconsent_parameters", \.reconsentParameters,
            "additional parameters that make the provider ask for consent again"),
        Key("rename", \.rename, "standard parameter name -> the provider's name for it"),
        Key("omit", \.omit, "standard parameters to omit"),
        Key("encode", \.encode, "parameter -> the encoding of its value; default: percent"),
        Key("response_type", \.responseType, "the provider's name for the response type code"),
        Key(
            "response_mode", \.responseMode,
            "the response mode to request; with jwt the response is signed (JARM); default: none is requested"),
        Key("state", \.state, "where the state is sent; default: in its own parameter"),
        Key("fragment_route", \.fragmentRoute, "the route of a page that reads its parameters after #ROUTE?"),
        Key("fragment", \.fragment, "the fragment of the URL, after #"),
        Key("pkce", \.pkce, "whether and how PKCE with S256 is used (RFC 7636); default: required"),
        Key(
            "nonce", \.nonce,
            "whether a nonce is sent and required in the ID token (OpenID Connect Core, section 15.5.2); default: required"
        ),
        Key("pushed", \.pushed, "whether the parameters are pushed to the server before the sign-in (RFC 9126)"),
        Key("request_object", \.requestObject, "whether the client signs the parameters (RFC 9101)"),
        Key(
            "ephemeral_session", \.prefersEphemeralSession,
            "whether the sign-in sheet of Apple platforms shares no cookies; other browsers ignore it"),
    ]
}

/// The section with everything filled in.
@usableFromInline
@dynamicMemberLookup
package struct ResolvedAuthorization: Sendable {
    @usableFromInline let described: Shared<AuthorizationRules>
    package let parameters: [Named<String>]
    /// Parameters that are filled for each sign-in.
    package let lateParameters: [Named<Template>]
    package let offlineParameters: [Named<String>]
    package let reconsentParameters: [Named<String>]
    package var requestObject: ResolvedRequestObject
    /// Whether requests are pushed (RFC 9126), unless a sign-in says otherwise; also set by the metadata.
    package var isPushed: Bool

    init(
        _ rules: AuthorizationRules, with resolver: InputResolver, endpoints: ResolvedEndpoints
    ) throws(ResolutionError) {
        let key = "authorization"
        described = Shared(rules)
        for list in [rules.parameters, rules.offlineParameters, rules.reconsentParameters] {
            try resolver.refuseSecrets(in: list, key: "\(key).parameters")
        }
        parameters = try resolver.named(rules.parameters, key: "\(key).parameters")
        lateParameters = try resolver.lateNamed(rules.parameters, key: "\(key).parameters")
        offlineParameters = try resolver.named(rules.offlineParameters, key: "\(key).offline_parameters")
        reconsentParameters = try resolver.named(rules.reconsentParameters, key: "\(key).reconsent_parameters")
        requestObject = try ResolvedRequestObject(rules.requestObject, resolver)
        isPushed =
            rules.pushed.use == .always || rules.pushed.use == .auto && endpoints[.pushedAuthorizationRequest] != nil
    }

    @inlinable @inline(__always)
    package subscript<Value>(dynamicMember key: KeyPath<AuthorizationRules, Value>) -> Value {
        described.value[keyPath: key]
    }
}

/// The authorization response (RFC 6749, section 4.1.2).
@usableFromInline
package struct CallbackRules: Sendable {
    package internal(set) var issuer = IssuerParameterRule.auto
    package internal(set) var rename = NamedList<String>()
    package internal(set) var errors = CallbackErrors()
    package internal(set) var capture = NamedList<CallbackCapture>()
    package internal(set) var verification: CallbackVerification?
    package internal(set) var jwt: SignedResponseRules?

    init() {}
}

extension CallbackRules: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("iss", \.issuer, "the parameter iss (RFC 9207); auto (default) requires it if the server announces it"),
        Key("rename", \.rename, "standard parameter name -> the provider's name for it"),
        Key("errors", \.errors, "the provider's error codes"),
        Key("capture", \.capture, "value -> its parameter; available as {callback.NAME}"),
        Key("verify", \.verification, "the signature of the callback, if the provider signs it"),
        Key("jwt", \.jwt, "the JWT of the callback, for a response_mode such as jwt"),
    ]
}

/// What the provider's error codes in a callback mean.
package struct CallbackErrors: Sendable {
    package internal(set) var codes = NamedList<String>()

    init() {}
}

extension CallbackErrors: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("codes", \.codes, "the provider's error code -> that of RFC 6749, section 4.1.2.1")
    ]
}

/// The section with what the metadata adds.
@usableFromInline
@dynamicMemberLookup
package struct ResolvedCallback: Sendable {
    @usableFromInline let described: CallbackRules
    /// Whether a callback must name the issuer (RFC 9207); also set by the metadata.
    package var requiresIssuer: Bool
    package var jwt: ResolvedSignedResponse

    init(_ rules: CallbackRules) {
        described = rules
        requiresIssuer = rules.issuer == .required
        jwt = ResolvedSignedResponse(rules.jwt)
    }

    @inlinable @inline(__always)
    package subscript<Value>(dynamicMember key: KeyPath<CallbackRules, Value>) -> Value { described[keyPath: key] }
}

package enum IssuerParameterRule: String, DescriptorChoice, Sendable {
    /// Compared if it is present; required if the server's metadata announces it.
    case auto
    case required
}

/// The token request and its response.
package struct TokenRules: RequestSection {
    package internal(set) var request = RequestRules()
    package internal(set) var grantType: String?
    package internal(set) var response = ResponseRules()

    init() {}
}

extension TokenRules: DescriptorSection {
    static let keys: [Key<Self>] =
        RequestRules.keys(in: .tokenRequest).map { $0.lifted(to: \.request) } + [
            Key("grant_type", \.grantType, RequestRules.grantTypeSummary),
            Key("response", \.response, "the places of the tokens in the response"),
        ]
}

/// The refresh request, and when it is made.
package struct RefreshRules: RequestSection {
    package internal(set) var request = RequestRules()
    package internal(set) var grantType: String?
    package internal(set) var margin: Seconds?
    package internal(set) var using = RefreshCredential.refreshToken
    package internal(set) var rotation = RefreshRotation.keepOld
    package internal(set) var expiryFrom = ExpirySource.response
    package internal(set) var authentication: ClientAuthenticationMethod?
    package internal(set) var response: ResponseRules?
    package internal(set) var result = RefreshResult.tokens

    init() {}
}

extension RefreshRules: DescriptorSection {
    static let keys: [Key<Self>] =
        RequestRules.keys(in: .signedIn).map { $0.lifted(to: \.request) } + [
            Key("grant_type", \.grantType, RequestRules.grantTypeSummary),
            Key(
                "using", \.using,
                "the token to send; it is in the parameter refresh_token, which can be renamed"),
            Key("authentication", \.authentication, RequestRules.authenticationSummary),
            Key("response", \.response, RequestRules.ownResponseSummary),
            Key(
                "brings", \.result,
                "what the response contains: tokens (default), or expiry, which is a new expiry of the same tokens"),
            Key("rotation", \.rotation, "what a refresh does to the refresh token; default: keep_old"),
            Key("expiry_from", \.expiryFrom, "the source of the access token's expiry if the response has none"),
            Key("margin", \.margin, "how many seconds before its expiry a token is refreshed; default: 60"),
        ]
}

extension Resolved<RefreshRules> {
    /// How many seconds before its expiry an access token is refreshed.
    package var margin: Int { self[dynamicMember: \.margin]?.count ?? 60 }
}

extension ProviderDescriptor {
    /// How the response to a refresh is read.
    package var refreshResponse: ResponseRules { self.refresh.response ?? self.token.response }
}

extension BoundProvider {
    /// The provider as a further token set of a sign-in sees it: its fields are at another place.
    package func reading(_ set: String?) -> BoundProvider {
        guard let set, let rules = self.token.response.reading(set) else { return self }
        return changed {
            var described = $0.token.described
            described.response = rules
            $0.token = $0.token.describing(described)
        }
    }
}

extension ProviderSections {
    /// How the response to a refresh is read.
    package var refreshResponse: ResponseRules { refresh.response ?? token.response }
}

/// What a refresh returns.
package enum RefreshResult: String, DescriptorChoice, Sendable {
    case tokens
    /// The tokens stay, and are valid for longer.
    case expiry
}

/// What a refresh exchanges.
package enum RefreshCredential: String, DescriptorChoice, Sendable {
    case refreshToken = "refresh_token"
    /// The access token while it is valid, for providers without refresh tokens.
    case accessToken = "access_token"
}

/// How the ID token is validated (OpenID Connect Core, section 3.1.3.7).
package struct IDTokenRules: Sendable {
    /// Empty until the metadata or the default decides.
    package var algorithms: [SignatureAlgorithm] = []
    package internal(set) var clockSkew = ClockSkew(60)
    package internal(set) var coerce: [CoercedClaim] = []
    package internal(set) var hs256: String?
    package internal(set) var encryption: TokenEncryption?
    package internal(set) var otherAudiences: [String] = []

    init() {}
}

extension IDTokenRules: DescriptorSection {
    static let formerKeys = ["nonce": "authorization: { nonce: { optional: REASON } }"]

    static let keys: [Key<Self>] = [
        Key("algorithms", \.algorithms, "the accepted signature algorithms; default: the announced ones, else RS256"),
        Key(
            "hs256", \.hs256,
            "the reason why ID tokens are signed with the client's secret (HS256); then no other signature is accepted"),
        Key("coerce", \.coerce, "claims that may be a number instead of a string, or a string instead of a time"),
        Key("encryption", \.encryption, "the encryption of ID tokens for the client; default: none"),
        Key(
            "other_audiences", \.otherAudiences,
            "further audiences that an ID token may have even if no azp names the client"),
        Key("clock_skew", \.clockSkew, "the tolerated difference between the clocks, in seconds; default: 60"),
    ]
}

/// The asymmetric signature algorithms, by their registered names (RFC 7518, section 3.1; RFC 8037, section 3.1).
// swift-format-ignore: AlwaysUseLowerCamelCase
package enum SignatureAlgorithm: String, DescriptorChoice, Sendable {
    case RS256, RS384, RS512
    case PS256, PS384, PS512
    case ES256, ES384, ES512
    case EdDSA
}

/// A tolerated difference of clocks in seconds.
package struct ClockSkew: BoundedInteger, Hashable {
    static var range: ClosedRange<Int> { 0...300 }
    package let seconds: Int

    init(_ value: Int) { seconds = value }
    var value: Int { seconds }
}

/// How the provider's resources are called.
package struct APIRules: Sendable {
    package internal(set) var hosts: [Template] = []
    package internal(set) var headers = NamedList<Template>()
    package internal(set) var parameters = NamedList<Template>()
    package internal(set) var scheme = "Bearer"
    package internal(set) var baseURL: Template?
    package internal(set) var tokenIn = TokenPlacement.authorization
    package internal(set) var unauthorized: [String] = []

    init() {}
}

extension APIRules: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("hosts", \.hosts, "the hosts that may receive the access token, besides those of the resources"),
        Key("base_url", \.baseURL, in: .signedInURL, "the prefix for the URLs of resources that start with /"),
        Key("headers", \.headers, in: .signedIn, "headers of every call"),
        Key("parameters", \.parameters, in: .signedIn, "query parameters of every call"),
        Key(
            "scheme", \.scheme,
            "the scheme of the Authorization header; default: Bearer; none: the header contains only the token"),
        Key("token_in", \.tokenIn, "where the access token is sent; default: in the Authorization header"),
        Key(
            "unauthorized", \.unauthorized,
            "error codes, or whole bodies, of a 4xx response that mean an expired access token, as the status 401 does"),
    ]
}

/// The section with everything filled in.
package struct ResolvedAPI: Sendable {
    /// Hosts that the access token may be sent to, besides those of the resources.
    package let hosts: [String]
    package private(set) var headers: [Named<String>]
    package let lateHeaders: [Named<Template>]
    /// The query parameters of every call.
    package private(set) var parameters: [Named<String>]
    package let lateParameters: [Named<Template>]
    /// The query parameters of calls whose values must not be seen, once filled.
    package private(set) var hiddenParameters: Set<String> = []
    /// The headers of calls whose values must not be seen, once filled.
    package private(set) var hiddenHeaders: Set<String> = []
    package let scheme: String
    /// Whether the Authorization header has the access token alone, without a scheme.
    package let sendsBareToken: Bool
    package let tokenIn: TokenPlacement
    /// Error codes, or whole bodies, that mean an access token that is not accepted, as the status 401 does.
    package let unauthorized: [String]

    init(_ rules: APIRules, with resolver: InputResolver) throws(ResolutionError) {
        var hosts: [String] = []
        for (index, template) in rules.hosts.enumerated() {
            if let host = try resolver.fill(template, key: "api.hosts.\(index)") { hosts.append(host.lowercased()) }
        }
        self.hosts = hosts
        // It stands before the URLs of resources and calls; a wrong place in it is reported even without any.
        _ = try rules.baseURL.flatMap { template throws(ResolutionError) in
            try resolver.late(template, key: "api.base_url")
        }
        headers = try resolver.named(rules.headers, key: "api.headers")
        lateHeaders = try resolver.lateNamed(rules.headers, key: "api.headers")
        parameters = try resolver.named(rules.parameters, key: "api.parameters")
        lateParameters = try resolver.lateNamed(rules.parameters, key: "api.parameters")
        sendsBareToken = rules.scheme == "none"
        scheme = sendsBareToken ? "Bearer" : rules.scheme
        tokenIn = rules.tokenIn
        unauthorized = rules.unauthorized
    }

    /// - Parameter further: Headers of resources.
    func filled(_ values: TemplateValues, besides further: [Named<Template>]) -> ResolvedAPI {
        var filled = self
        filled.headers += values.named(lateHeaders)
        filled.hiddenHeaders = values.secretNames(of: lateHeaders + further)
        filled.parameters += values.named(lateParameters)
        filled.hiddenParameters = values.secretNames(of: lateParameters)
        return filled
    }
}
