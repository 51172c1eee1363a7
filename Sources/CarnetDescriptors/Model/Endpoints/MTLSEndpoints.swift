/// The endpoints for clients that present a certificate (RFC 8705, section 5), as templates.
package struct MTLSEndpoints: DescriptorSection, Sendable {
    private var urls: [EndpointName: Template] = [:]

    package internal(set) subscript(name: EndpointName) -> Template? {
        get { urls[name] }
        set { urls[name] = newValue }
    }

    package var isEmpty: Bool { urls.isEmpty }

    /// Those that a client itself sends requests to.
    package static let names: [EndpointName] = [
        .token, .refresh, .revocation, .introspection, .deviceAuthorization, .deviceToken, .pushedAuthorizationRequest,
        .userinfo,
    ]

    static let keys: [Key<Self>] = [
        Key("token", \.[.token], "replaces token"),
        Key("refresh", \.[.refresh], "replaces refresh"),
        Key("revocation", \.[.revocation], "replaces revocation"),
        Key("introspection", \.[.introspection], "replaces introspection"),
        Key("device_authorization", \.[.deviceAuthorization], "replaces device_authorization"),
        Key("device_token", \.[.deviceToken], "replaces device_token"),
        Key(
            "pushed_authorization_request", \.[.pushedAuthorizationRequest],
            "replaces pushed_authorization_request"),
        Key("userinfo", \.[.userinfo], "replaces userinfo"),
    ]
}
