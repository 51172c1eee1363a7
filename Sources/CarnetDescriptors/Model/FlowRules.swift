/// The authorization request (RFC 6749, section 4.1.1).
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
    package internal(set) var pkce = Safeguard.required
    package internal(set) var nonce = Safeguard.required
    package internal(set) var pushed = PushedAuthorizationRules()
    package internal(set) var requestObject = RequestObjectRules()
    package internal(set) var prefersEphemeralSession = false

    init() {}
}

extension AuthorizationRules: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("parameters", \.parameters, in: .authorization, "parameters to add always"),
        Key("offline_parameters", \.offlineParameters, "parameters to add when a refresh token is wanted"),
        Key("reconsent_parameters", \.reconsentParameters, "parameters that make the provider ask for consent again"),
        Key("rename", \.rename, "standard parameter name -> the provider's name for it"),
        Key("omit", \.omit, "standard parameters to leave out"),
        Key("encode", \.encode, "parameter -> how its value is encoded; percent if not said"),
        Key("response_type", \.responseType, "what the provider calls the response type code"),
        Key(
            "response_mode", \.responseMode,
            "how the answer comes, if that is to be asked for; with jwt it is signed (JARM)"),
        Key("state", \.state, "what carries the state; a parameter of its own if not said"),
        Key("fragment_route", \.fragmentRoute, "the route of a page that reads its parameters behind #ROUTE?"),
        Key("fragment", \.fragment, "what stands after # at the end of the URL"),
        Key("pkce", \.pkce, "proof key S256 (RFC 7636)"),
        Key("nonce", \.nonce, "the nonce of the ID token (OpenID Connect Core, section 15.5.2)"),
        Key("pushed", \.pushed, "whether the parameters are sent to the server before the sign-in (RFC 9126)"),
        Key("request_object", \.requestObject, "whether the parameters are signed by the client (RFC 9101)"),
        Key("ephemeral_session", \.prefersEphemeralSession, "whether the browser session should share no cookies"),
    ]
}

/// The authorization response (RFC 6749, section 4.1.2).
package struct CallbackRules: Sendable {
    package internal(set) var issuer = IssuerParameterRule.auto
    package internal(set) var rename = NamedList<String>()
    package internal(set) var errors = NamedList<String>()
    package internal(set) var capture = NamedList<CallbackCapture>()
    package internal(set) var verification: CallbackVerification?
    package internal(set) var jwt: SignedAnswerRules?

    init() {}
}

extension CallbackRules: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("iss", \.issuer, "the issuer parameter (RFC 9207): auto demands it where the server announces it"),
        Key("rename", \.rename, "standard parameter name -> the provider's name for it"),
        Key("errors", \.errors, "the provider's error code -> that of RFC 6749, section 4.1.2.1"),
        Key("capture", \.capture, "value -> the parameter that brings it; kept as {callback.NAME}"),
        Key("verify", \.verification, "the signature of the callback, where the provider signs it"),
        Key("jwt", \.jwt, "the JWT that a callback is with a response_mode such as jwt"),
    ]
}

package enum IssuerParameterRule: String, DescriptorChoice, Sendable {
    /// Compared when it is there; demanded when the server's metadata announces it.
    case auto
    case required
}

/// The token request and its response.
package struct TokenRules: Sendable {
    package internal(set) var request = RequestRules()
    package internal(set) var response = ResponseRules()

    init() {}
}

extension TokenRules: DescriptorSection {
    static let keys: [Key<Self>] =
        RequestRules.keys(in: .tokenRequest).map { $0.lifted(to: \.request) } + [
            Key("response", \.response, "where the tokens are in the response")
        ]
}

/// The refresh request, and when it is made.
package struct RefreshRules: Sendable {
    package internal(set) var request = RequestRules()
    package internal(set) var margin: Seconds?
    package internal(set) var using = RefreshCredential.refreshToken
    package internal(set) var rotation = RefreshRotation.keepOld
    package internal(set) var expiryFrom = ExpirySource.response

    init() {}
}

extension RefreshRules: DescriptorSection {
    static let keys: [Key<Self>] =
        RequestRules.keys(in: .signedIn).map { $0.lifted(to: \.request) } + [
            Key(
                "using", \.using,
                "which token is exchanged; it goes in the parameter refresh_token, which can be renamed"),
            Key("rotation", \.rotation, "what a refresh does to the refresh token; keep_old if not said"),
            Key("expiry_from", \.expiryFrom, "what says when an access token ends, if the response does not"),
            Key("margin", \.margin, "how many seconds before its end a token is renewed; 60 if not said"),
        ]
}

/// What a refresh exchanges.
package enum RefreshCredential: String, DescriptorChoice, Sendable {
    case refreshToken = "refresh_token"
    /// The access token while it is still good, where a provider has no refresh tokens.
    case accessToken = "access_token"
}

/// How the ID token is validated (OpenID Connect Core, section 3.1.3.7).
package struct IDTokenRules: Sendable {
    package internal(set) var algorithms: [SignatureAlgorithm] = []
    package internal(set) var clockSkew: ClockSkew?
    package internal(set) var nonce = NonceRule()
    package internal(set) var coerce: [CoercedClaim] = []
    package internal(set) var hs256: String?
    package internal(set) var encryption: TokenEncryption?

    init() {}
}

extension IDTokenRules: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("algorithms", \.algorithms, "the accepted signature algorithms; by default those announced, else RS256"),
        Key(
            "hs256", \.hs256,
            "why ID tokens are signed with the client's secret (HS256); then no other signature is accepted"),
        Key("nonce", \.nonce, "whether the nonce that was sent must be repeated"),
        Key("coerce", \.coerce, "claims that may be a number in the place of a text, or a text in that of a time"),
        Key("encryption", \.encryption, "how ID tokens are encrypted for the client; not at all if not said"),
        Key("clock_skew", \.clockSkew, "how many seconds the clocks may differ; 60 if not said"),
    ]
}

/// Whether an ID token must repeat the nonce.
package struct NonceRule: Sendable {
    /// Why an ID token without the nonce is taken; one with another nonce never is.
    package internal(set) var ifPresent: String?

    init() {}
}

extension NonceRule: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("if_present", \.ifPresent, "why an ID token without the nonce is accepted; a wrong nonce never is")
    ]
}

/// The asymmetric signature algorithms, by their registered names (RFC 7518, section 3.1; RFC 8037, section 3.1).
// swift-format-ignore: AlwaysUseLowerCamelCase
public enum SignatureAlgorithm: String, DescriptorChoice, Sendable {
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
}

/// How the provider's resources are called.
package struct APIRules: Sendable {
    package internal(set) var hosts: [Template] = []
    package internal(set) var headers = NamedList<Template>()
    package internal(set) var scheme = "Bearer"
    package internal(set) var baseURL: Template?
    package internal(set) var tokenIn = TokenPlacement.authorization

    init() {}
}

extension APIRules: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("hosts", \.hosts, "host names that the access token may be sent to, besides those of the resources"),
        Key("base_url", \.baseURL, in: .signedInURL, "what stands before the URLs of resources that start with /"),
        Key("headers", \.headers, in: .signedIn, "headers to add to every call"),
        Key("scheme", \.scheme, "the scheme of the Authorization header; Bearer if not said, none for the token alone"),
        Key("token_in", \.tokenIn, "where the access token goes; in the Authorization header if not said"),
    ]
}
