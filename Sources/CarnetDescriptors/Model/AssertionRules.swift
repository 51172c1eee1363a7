/// The JWT by which a client authenticates (RFC 7523, section 3; OpenID Connect Core, section 9).
package struct AssertionRules: Sendable {
    package internal(set) var algorithm: AssertionAlgorithm?
    package internal(set) var audience: Template?
    package internal(set) var issuer: Template?
    package internal(set) var subject: Template?
    package internal(set) var lifetime: AssertionLifetime?
    package internal(set) var keyID: Template?
    package internal(set) var claims = NamedList<Template>()
    package internal(set) var sendAs = AssertionParameter.clientAssertion

    init() {}
}

extension AssertionRules: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key(
            "algorithm", \.algorithm, "the signature algorithm; by default one that fits the key, or HS256 for a secret"
        ),
        Key(
            "audience", \.audience,
            "the claim aud: issuer, token_endpoint, or a text; the issuer if not said, without one the token endpoint"),
        Key("issuer", \.issuer, "the claim iss: client_id, redirect_host, or a text; client_id if not said"),
        Key("subject", \.subject, "the claim sub: client_id, redirect_host, or a text; client_id if not said"),
        Key("lifetime", \.lifetime, "how many seconds an assertion is good for; 60 if not said"),
        Key("key_id", \.keyID, "the header kid: none, or a text; the key's own id if not said"),
        Key("claims", \.claims, "claims beyond the standard's"),
        Key("send_as", \.sendAs, "the parameter that carries it: client_assertion with its type, or client_secret"),
    ]

    /// The claims that are made anew for each assertion or have keys of their own.
    package static let ownClaims: Set<String> = ["iss", "sub", "aud", "exp", "iat", "nbf", "jti"]
}

/// The signature algorithms of assertions, by their registered names (RFC 7518, section 3.1; RFC 8037, section 3.1).
// swift-format-ignore: AlwaysUseLowerCamelCase
package enum AssertionAlgorithm: String, DescriptorChoice, Sendable {
    case RS256, RS384, RS512
    case PS256, PS384, PS512
    case ES256, ES384, ES512
    case EdDSA
    case HS256, HS384, HS512

    /// Whether the key is the client's secret.
    package var isSymmetric: Bool {
        switch self {
        case .HS256, .HS384, .HS512: true
        default: false
        }
    }
}

/// How many seconds an assertion may be good for. Half a year is the most that a server is known to take.
package struct AssertionLifetime: BoundedInteger, Hashable {
    static var range: ClosedRange<Int> { 1...15_777_000 }
    package let seconds: Int

    init(_ value: Int) { seconds = value }
}

/// Where an assertion stands in a request.
package enum AssertionParameter: String, DescriptorChoice, Sendable {
    /// Beside `client_assertion_type` (RFC 7521, section 4.2).
    case clientAssertion = "client_assertion"
    /// As if it were a secret that is renewed for each request.
    case clientSecret = "client_secret"
}
