package import CarnetFoundation

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
    case deviceToken = "device_token"
    case pushedAuthorizationRequest = "pushed_authorization_request"
    case registration

    /// The member of the metadata document that names this endpoint.
    package var metadataName: String {
        switch self {
        case .jwks: "jwks_uri"
        default: rawValue + "_endpoint"
        }
    }

    /// Whether a standard defines the endpoint. The others are variants of the token endpoint at some providers, and no
    /// metadata document names them.
    package var isStandard: Bool { ![.refresh, .deviceToken].contains(self) }
}

/// The endpoint URLs of a descriptor, as templates.
package struct NamedEndpoints: DescriptorSection, Sendable {
    // A few are found faster than hashed.
    private var urls: [(name: EndpointName, template: Template)] = []
    package internal(set) var mtls = MTLSEndpoints()

    package internal(set) subscript(name: EndpointName) -> Template? {
        get { urls.firstIndex { $0.name == name }.map { urls[$0].template } }
        set {
            urls.removeAll { $0.name == name }
            if let newValue { urls.append((name, newValue)) }
        }
    }

    static func elsewhere(_ name: String) -> String? { NamesElsewhere.inEndpoints(name) }

    static let keys: [Key<Self>] = [
        Key(
            "authorization", \.[.authorization], in: .clientURL,
            "the page where the user signs in (RFC 6749, section 3.1)"),
        Key("token", \.[.token], in: .tokenURL, "the endpoint for codes and refresh tokens (RFC 6749, section 3.2)"),
        Key("refresh", \.[.refresh], in: .signedInURL, "the endpoint for refresh tokens; default: token"),
        Key(
            "userinfo", \.[.userinfo], in: .signedInURL,
            "the userinfo endpoint (OpenID Connect Core, section 5.3), or the profile of an OAuth API; below api.base_url if it starts with /"
        ),
        Key("jwks", \.[.jwks], "the JWKS: the keys that sign ID tokens (RFC 7517, section 5)"),
        Key(
            "revocation", \.[.revocation], in: .revocationURL,
            "the revocation endpoint (RFC 7009); some providers have the token in its path"),
        Key("introspection", \.[.introspection], in: .signedInURL, "the introspection endpoint (RFC 7662)"),
        Key(
            "end_session", \.[.endSession], in: .clientURL,
            "the page where the user signs out (OpenID Connect RP-Initiated Logout)"),
        Key(
            "device_authorization", \.[.deviceAuthorization], in: .clientURL,
            "the endpoint where a device requests its codes (RFC 8628, section 3.1)"),
        Key(
            "device_token", \.[.deviceToken], in: .clientURL,
            "the endpoint where a device requests its tokens; default: token"),
        Key(
            "pushed_authorization_request", \.[.pushedAuthorizationRequest], in: .clientURL,
            "the endpoint for pushed authorization requests (RFC 9126)"),
        Key("registration", \.[.registration], "the endpoint for dynamic client registration (RFC 7591)"),
        Key(
            "mtls_endpoint_aliases", \.mtls,
            "other endpoints for clients with a certificate (RFC 8705, section 5)"),
    ]
}

/// Whether the metadata document is fetched.
package enum DiscoveryMode: String, DescriptorChoice, Sendable {
    case off = "none"
    /// Fetched. A failure is an error only if an endpoint is then missing.
    case preferred
    case required
}

/// The endpoints with everything filled in.
package struct ResolvedEndpoints: Sendable {
    package var urls: [EndpointName: WebURL] = [:]
    /// Those for clients that present a certificate, where they are others; also named by the metadata.
    package var mtls: [EndpointName: WebURL] = [:]
    /// Those that are known only at run time.
    package private(set) var late: [EndpointName: Template] = [:]
    /// Why one that is known only at run time is not known now.
    package private(set) var unfilled: [EndpointName: String] = [:]
    /// Why endpoints that the metadata names cannot be requested.
    package var refused: [EndpointName: String] = [:]
    /// The same of the endpoints for clients that present a certificate.
    package var refusedMTLS: [EndpointName: String] = [:]

    init(_ rules: NamedEndpoints, with resolver: InputResolver) throws(ResolutionError) {
        for name in EndpointName.allCases {
            guard let written = rules[name] else { continue }
            let template = name == .userinfo ? resolver.belowAPI(written) : written
            let key = "endpoints.\(name.rawValue)"
            if template.isLate {
                late[name] = try resolver.lateURL(template, key: key)
            } else {
                urls[name] = try resolver.url(template, key: key)
            }
        }
        for name in MTLSEndpoints.names {
            guard let template = rules.mtls[name] else { continue }
            mtls[name] = try resolver.url(template, key: "endpoints.mtls_endpoint_aliases.\(name.rawValue)")
        }
    }

    package subscript(name: EndpointName) -> WebURL? { urls[name] }

    /// Whether something names the endpoint, even if it cannot be requested.
    package func names(_ name: EndpointName) -> Bool {
        urls[name] != nil || refused[name] != nil || unfilled[name] != nil
    }

    /// Whether the URL of the profile is known only once the lookups and derivations are made.
    package var userinfoNeedsConnection: Bool {
        late[.userinfo]?.references.contains { $0.origin == .connection } == true
    }

    /// Whether the registration alone fills some of them.
    var haveClientValues: Bool { late.values.contains(where: \.isOfClient) }

    /// Fills those that are known by now, of those at trusted hosts.
    ///
    /// - Parameter ofClient: Whether only those that need nothing but the registration, so that they are like any other
    ///   from then on.
    mutating func fill(_ values: TemplateValues, trusting hosts: [HostPattern], ofClient: Bool = false) {
        for (name, template) in late where !ofClient || template.isOfClient {
            do throws(WebURLError) {
                urls[name] = try values.url(
                    template, trusting: hosts, mayHoldTokens: name == .revocation && !ofClient)
                if ofClient { late[name] = nil }
            } catch {
                unfilled[name] = error.reason
            }
        }
    }
}
