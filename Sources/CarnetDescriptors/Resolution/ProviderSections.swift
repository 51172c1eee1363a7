package import CarnetFoundation

/// What a stage of a provider knows, in the sections of its descriptor.
///
/// A section without templates is the descriptor's own. One with templates has a resolved type beside it.
@usableFromInline
package struct ProviderSections: Sendable {
    @usableFromInline let descriptor: ProviderDescriptor
    /// The values that filled the descriptor, defaults included, without those that are secret.
    package let inputs: [String: String]
    private let secrets: HiddenValues
    /// The scopes with the inputs filled in; of those that need more, the ones of a client without values.
    @usableFromInline package internal(set) var scopes: ScopeRules
    /// The scopes as they are written, if some need the values of a registration.
    let lateScopes: ScopeRules?
    /// The protected resource that all tokens are for (RFC 8707).
    package internal(set) var resource: WebURL?
    /// The scopes that the metadata of the resource names, for a descriptor that names none.
    package internal(set) var resourceScopes: [String] = []
    /// The other scopes that the metadata of the resource names.
    package internal(set) var furtherScopes: [String] = []
    /// Whether the server announces the scope `offline_access`. Only a sign-in for a resource adds it by itself.
    package var announcesOfflineAccess = false
    /// Whether the server takes the URL of a client's metadata as a client id.
    package var acceptsClientDocuments = false
    /// Also named by the metadata of the resource.
    package var issuer: String?
    /// Whether the issuer of a resource states neither endpoints nor anything else.
    package internal(set) var isUnstated = false
    /// Which other issuers are its own too; also widened by the metadata.
    package var issuerMatch: IssuerMatch
    package let discoveryURL: WebURL?
    /// Also named by the metadata.
    package var endpoints: ResolvedEndpoints
    package var client: ResolvedClient
    package var authorization: ResolvedAuthorization
    package var callback: ResolvedCallback
    package internal(set) var token: Resolved<TokenRules>
    package private(set) var refresh: Resolved<RefreshRules>
    package private(set) var clientCredentials: Resolved<GrantRules>
    package private(set) var device: ResolvedDevice
    package private(set) var tokenExchange: Resolved<GrantRules>
    package private(set) var jwtBearer: ResolvedJWTBearer
    /// Further token requests, by name.
    package let exchange: [Named<ExchangeStep>]
    package let connection: ConnectionRules
    package var idToken: IDTokenRules
    package var profile: ResolvedProfile
    package private(set) var revocation: Resolved<RevocationRules>
    package var introspection: ResolvedIntrospection
    package let logout: Resolved<LogoutRules>
    package private(set) var api: ResolvedAPI
    /// The resources whose URL is known.
    package private(set) var resources: [Resource]
    /// The others, each with the number of known resources before it.
    package let lateResources: [(position: Int, resource: LateResource)]
    /// Those of them whose URL is still not known, by their names, with the reason.
    private(set) var unknownResources: [(names: [String], reason: String)] = []

    package var id: ProviderID { descriptor.id }
    /// The values of the inputs that are secret.
    package var secretInputs: [String: String] { secrets.values }
    package var name: String { descriptor.name }
    /// Whether the metadata of a resource may have named the issuer: the one beside a resource comes from there too, if the
    /// descriptor was made of the metadata.
    package var isIssuerFound: Bool { resource != nil && issuer != nil }
    /// The hosts that the descriptor itself names, in lower case.
    package var ownHosts: Set<String> { descriptor.ownHosts }
    package var hasSignInPage: Bool { descriptor.hasSignInPage }
    package var canSignIn: Bool { descriptor.canSignIn }
    package var grantsWithoutPage: [RequestKind] { descriptor.grantsWithoutPage }
    package var docs: String? { descriptor.docs }
    package var display: DisplayRules { descriptor.display }
    package var status: ProviderStatus { descriptor.status }
    /// The environment that was chosen.
    package var environment: String? { descriptor.environment }
    package var discovery: DiscoveryMode? { descriptor.discovery }
    package var redirects: [RedirectForm] { descriptor.redirects }
    package var tables: NamedList<NamedList<String>> { descriptor.tables }
    package var trustedHosts: [HostPattern] { descriptor.trustedHosts }
    package var samples: Samples { descriptor.samples }
    package var accessToken: AccessTokenRules { descriptor.accessToken }
    /// What the state is called in a callback: as it was sent, unless the descriptor says otherwise.
    package var stateParameter: String { callback.rename["state"] ?? authorization.rename["state"] ?? "state" }

    /// The sections of a descriptor with its inputs. An initializer that sets one property after the other would copy all
    /// of them at its end.
    static func resolved(
        _ descriptor: ProviderDescriptor, with resolver: InputResolver
    ) throws(ResolutionError) -> ProviderSections {
        try resolver.refuseUnprotected(descriptor)
        let issuer = try descriptor.issuer.flatMap(resolver.issuerURL)?.text
        func url(_ template: Template?, _ key: String) throws(ResolutionError) -> WebURL? {
            guard let template else { return nil }
            return try resolver.url(template, key: key)
        }
        let resource = try url(descriptor.resource, "resource")
        let issuerMatch = try resolver.issuerMatch(descriptor.issuerMatch, own: issuer)
        let discoveryURL = try url(descriptor.discoveryURL, "discovery_url")
        var scopes = descriptor.scopes
        var hasLateScopes = false
        if scopes.hasPlaces {
            scopes = try scopes.filled { template, key throws(ResolutionError) in
                let filled = try resolver.fill(template, key: key)
                if template.isLate { hasLateScopes = true }
                return template.isLate ? template.source : filled
            }
        }
        let tokenRequest = descriptor.token.request
        // Before the profile, which inherits from it: a mistake is reported at its own key.
        let api = try ResolvedAPI(descriptor.api, with: resolver)
        let endpoints = try ResolvedEndpoints(descriptor.endpoints, with: resolver)
        let (resources, lateResources) = try resolver.resources(descriptor.resources)
        return ProviderSections(
            descriptor: descriptor, inputs: resolver.values, secrets: HiddenValues(resolver.secrets), scopes: scopes,
            lateScopes: hasLateScopes ? descriptor.scopes : nil, resource: resource, issuer: issuer,
            issuerMatch: issuerMatch, discoveryURL: discoveryURL, endpoints: endpoints,
            client: try ResolvedClient(descriptor.client, with: resolver),
            authorization: try ResolvedAuthorization(descriptor.authorization, with: resolver, endpoints: endpoints),
            callback: ResolvedCallback(descriptor.callback),
            token: try Resolved(descriptor.token, with: resolver, key: "token"),
            refresh: try Resolved(descriptor.refresh, with: resolver, key: "refresh", inheriting: tokenRequest),
            clientCredentials: try Resolved(
                descriptor.clientCredentials, with: resolver, key: "client_credentials", inheriting: tokenRequest),
            device: try ResolvedDevice(descriptor.device, with: resolver, inheriting: tokenRequest),
            tokenExchange: try Resolved(
                descriptor.tokenExchange, with: resolver, key: "token_exchange", inheriting: tokenRequest),
            jwtBearer: try ResolvedJWTBearer(descriptor.jwtBearer, with: resolver, inheriting: tokenRequest),
            exchange: try descriptor.exchange.items.map { step throws(ResolutionError) in
                Named(step.name, try step.value.resolve(with: resolver, key: "exchange.\(step.name)"))
            },
            connection: try descriptor.connection.resolve(with: resolver), idToken: descriptor.idToken,
            profile: try ResolvedProfile(
                descriptor.profile, with: resolver, api: descriptor.api, at: descriptor.endpoints[.userinfo]),
            revocation: try Resolved(descriptor.revocation, with: resolver, key: "revocation"),
            introspection: try ResolvedIntrospection(descriptor.introspection, with: resolver),
            logout: try Resolved(descriptor.logout, with: resolver, key: "logout", method: .get), api: api,
            resources: resources, lateResources: lateResources
        )
    }

    /// - Returns: `nil` for the authorization request, which has a section of another form.
    package func request(of kind: RequestKind) -> ResolvedRequest? {
        switch kind {
        case .authorization, .pushedAuthorization: nil
        case .token: token.request
        case .refresh: refresh.request
        case .clientCredentials: clientCredentials.request
        case .device: device.request
        case .deviceToken: device.token.request
        case .tokenExchange: tokenExchange.request
        case .jwtBearer: jwtBearer.grant.request
        case .profile: profile.request
        case .revocation: revocation.request
        case .introspection: introspection.request
        case .logout: logout.request
        }
    }

    /// Whether anything is known only at run time.
    var isLate: Bool {
        !endpoints.late.isEmpty || !api.lateHeaders.isEmpty || !lateResources.isEmpty
            || RequestKind.allCases.contains { $0 != .logout && request(of: $0)?.isLate == true }
            || profile.requests.contains { $0.isLate } || !profile.derive.isEmpty
            || !exchange.isEmpty || !api.lateParameters.isEmpty
            || !connection.isEmpty || !authorization.lateParameters.isEmpty
    }

    /// Fills the templates whose values are known.
    mutating func fill(_ values: TemplateValues) {
        token.fill(values)
        refresh.fill(values)
        clientCredentials.fill(values)
        device.fill(values)
        tokenExchange.fill(values)
        jwtBearer.fill(values)
        introspection.fill(values)
        profile.fill(values, trusting: trustedHosts)
        revocation.fill(values)
        api.fill(values, besides: lateResources.flatMap(\.resource.lateHeaders))
        endpoints.fill(values, trusting: trustedHosts)
        for entry in lateResources.reversed() {
            do throws(WebURLError) {
                let resource = try entry.resource.filled(values, trusting: trustedHosts)
                resources.insert(resource, at: entry.position)
            } catch {
                unknownResources.insert((entry.resource.names, error.reason), at: 0)
            }
        }
    }
}

/// Values that a description of their owner does not show.
private struct HiddenValues: Sendable, CustomStringConvertible, CustomReflectable {
    let values: [String: String]

    init(_ values: [String: String]) { self.values = values }

    var description: String { "[redacted]" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
