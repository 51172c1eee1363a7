/// The endpoints that a descriptor may name (RFC 6749, section 3; RFC 8414, section 2).
package enum EndpointName: String, CaseIterable, Hashable, Sendable {
    case authorization
    case token
    case refresh
    case userinfo
    case jwks
    case revocation
    case introspection
    case endSession = "end_session"
    case deviceAuthorization = "device_authorization"
    case pushedAuthorizationRequest = "pushed_authorization_request"
    case registration

    /// The member of the metadata document that names this endpoint.
    package var metadataName: String {
        switch self {
        case .jwks: "jwks_uri"
        default: rawValue + "_endpoint"
        }
    }
}

/// The endpoint URLs of a descriptor, as templates.
package struct NamedEndpoints: Sendable {
    private var urls: [EndpointName: Template] = [:]
    package internal(set) var mtls = MTLSEndpoints()

    init() {}

    package internal(set) subscript(name: EndpointName) -> Template? {
        get { urls[name] }
        set { urls[name] = newValue }
    }
}

extension NamedEndpoints: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("authorization", \.[.authorization], "where the user signs in (RFC 6749, section 3.1)"),
        Key("token", \.[.token], in: .tokenURL, "where codes and refresh tokens are exchanged (RFC 6749, section 3.2)"),
        Key("refresh", \.[.refresh], in: .signedInURL, "where refresh tokens are exchanged, if not at token"),
        Key(
            "userinfo", \.[.userinfo], in: .signedInURL,
            "who signed in (OpenID Connect Core, section 5.3), or the profile of an OAuth API"),
        Key("jwks", \.[.jwks], "the keys that sign ID tokens (RFC 7517, section 5)"),
        Key("revocation", \.[.revocation], in: .signedInURL, "where tokens are revoked (RFC 7009)"),
        Key("introspection", \.[.introspection], in: .signedInURL, "where tokens are looked up (RFC 7662)"),
        Key("end_session", \.[.endSession], "where the user signs out (OpenID Connect RP-Initiated Logout)"),
        Key(
            "device_authorization", \.[.deviceAuthorization],
            "where a device asks for its codes (RFC 8628, section 3.1)"),
        Key(
            "pushed_authorization_request", \.[.pushedAuthorizationRequest],
            "where the parameters of a sign-in are sent before it (RFC 9126)"),
        Key("registration", \.[.registration], "where clients register themselves (RFC 7591)"),
        Key(
            "mtls_endpoint_aliases", \.mtls,
            "the endpoints for clients that present a certificate, where they are others (RFC 8705, section 5)"),
    ]
}

/// Whether the metadata document is fetched.
package enum DiscoveryMode: String, DescriptorChoice, Sendable {
    case off
    /// Fetched; a failure is an error only if something is then missing.
    case prefer
    case require
}
