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

    static let keys: [Key<Self>] = names.map { name in Key(name.rawValue, \.[name], "replaces \(name.rawValue)") }
}
