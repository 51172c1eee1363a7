/// The JWT by which a client authenticates (RFC 7523, section 3; OpenID Connect Core, section 9).
package struct AssertionRules: DescriptorSection, Sendable {
    package internal(set) var algorithm: AssertionAlgorithm?
    package internal(set) var audience: Template?
    package internal(set) var issuer: Template?
    package internal(set) var subject: Template?
    package internal(set) var lifetime: AssertionLifetime?
    package internal(set) var keyID: Template?
    package internal(set) var claims = NamedList<Template>()
    package internal(set) var sendAs = AssertionParameter.clientAssertion

    static let keys: [Key<Self>] = [
        Key(
            "algorithm", \.algorithm, "the signature algorithm; default: one for the key's type, or HS256 for a secret"
        ),
        Key(
            "audience", \.audience,
            "the claim aud: issuer, token_endpoint, or a string; default: the issuer if there is one, else the token endpoint"
        ),
        Key("issuer", \.issuer, "the claim iss: client_id, redirect_host, or a string; default: client_id"),
        Key("subject", \.subject, "the claim sub: client_id, redirect_host, or a string; default: client_id"),
        Key("lifetime", \.lifetime, "the lifetime of an assertion in seconds; default: 60"),
        Key("key_id", \.keyID, "the header kid: none, or a string; default: the key's id"),
        Key("claims", \.claims, "additional claims"),
        Key(
            "send_as", \.sendAs,
            "the parameter for the assertion: client_assertion (with client_assertion_type), or client_secret"),
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
    var value: Int { seconds }
}

/// Where an assertion stands in a request.
package enum AssertionParameter: String, DescriptorChoice, Sendable {
    /// With `client_assertion_type` (RFC 7521, section 4.2).
    case clientAssertion = "client_assertion"
    /// As the client secret, new for each request.
    case clientSecret = "client_secret"
}
