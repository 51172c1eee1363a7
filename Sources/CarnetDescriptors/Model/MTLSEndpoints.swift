/// The endpoints for clients that present a certificate (RFC 8705, section 5), as templates.
package struct MTLSEndpoints: Sendable {
    private var urls: [EndpointName: Template] = [:]

    init() {}

    package internal(set) subscript(name: EndpointName) -> Template? {
        get { urls[name] }
        set { urls[name] = newValue }
    }

    package var isEmpty: Bool { urls.isEmpty }

    /// Those that a client itself sends requests to.
    package static let names: [EndpointName] = [
        .token, .refresh, .revocation, .introspection, .deviceAuthorization, .pushedAuthorizationRequest, .userinfo,
    ]
}

extension MTLSEndpoints: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("token", \.[.token], "in the place of token"),
        Key("refresh", \.[.refresh], "in the place of refresh"),
        Key("revocation", \.[.revocation], "in the place of revocation"),
        Key("introspection", \.[.introspection], "in the place of introspection"),
        Key("device_authorization", \.[.deviceAuthorization], "in the place of device_authorization"),
        Key(
            "pushed_authorization_request", \.[.pushedAuthorizationRequest],
            "in the place of pushed_authorization_request"),
        Key("userinfo", \.[.userinfo], "in the place of userinfo"),
    ]
}
