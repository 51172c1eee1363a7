import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

/// The server of one provider: everything it is known for and everything it has issued.
struct AuthorizationServer: Sendable {
    let provider: Provider
    let endpoints: ServedEndpoints
    let clients: [SandboxClient]
    let seams: Seams
    var options: SandboxOptions
    var resources: [Resource]
    var ledger = Ledger()
    var consents = BoundedStore<PendingRequest>(capacity: 1000)
    /// The client certificate of the current request.
    var presentedCertificate: [UInt8]?
    /// What the person chose to go wrong in the sign-in that the request belongs to.
    var chosenFault: SandboxFault?
    /// Logout tokens that are not sent yet.
    var logouts: [SandboxLogout] = []
    /// The keys of those whose claims are in profiles, by their issuers.
    var sourceKeys: [String: KeySet] = [:]
    private var madeKeys: KeySet?

    init(_ provider: Provider, clients: [SandboxClient], options: SandboxOptions, seams: Seams) {
        var provider = provider.withInventedIssuer
        var values = provider.sampleValues(seams)
        if clients.count == 1 {
            values.set(clients[0])
            provider = provider.registered(values)
        }
        self.provider = provider
        self.clients = clients
        self.options = options
        self.seams = seams
        let sample = provider.withoutMetadata.filled(values)
        resources = sample.resources
        endpoints = ServedEndpoints(of: sample)
    }

    /// The keys, made when they are first needed: an RSA key takes a tenth of a second.
    mutating func keys() throws(OAuthError) -> KeySet {
        if let madeKeys { return madeKeys }
        return try rotateKeys()
    }

    @discardableResult
    mutating func rotateKeys() throws(OAuthError) -> KeySet {
        let keys = try newKeys(provider.algorithmsOfKeys)
        madeKeys = keys
        return keys
    }

    func newKeys(_ algorithms: [SignatureAlgorithm]) throws(OAuthError) -> KeySet {
        guard let keys = try? KeySet(algorithms, seams) else { throw .serverError("a key could not be generated") }
        return keys
    }

    /// Goes on with what another server of the same provider has issued.
    mutating func takeOver(from old: AuthorizationServer) {
        ledger = old.ledger
        consents = old.consents
        if provider.idToken.algorithms == old.provider.idToken.algorithms { madeKeys = old.madeKeys }
    }

    /// The value of `iss`: that of the metadata. A provider without any signs with the origin of its token endpoint.
    ///
    /// A provider of many tenants signs as one of them, and one of several issuers as the last.
    var tokenIssuer: String {
        switch provider.issuerMatch {
        case .pattern(let pattern):
            if let issuer = pattern.filled({ _, _ in Self.tenant(of: pattern) }) { return issuer }
        case .anyOf(let issuers):
            if let issuer = issuers.last { return issuer }
        case .off, .exact: break
        }
        return metadataIssuer ?? endpoints[.token]?.origin ?? "urn:carnet:sandbox:\(provider.id)"
    }

    /// The tenant that everybody belongs to, where a provider has tenants: one that looks as the descriptor says.
    private static func tenant(of pattern: IssuerPattern) -> String {
        let usual = "3b6f2c1e-5a4d-4c8b-9e7f-0d1a2b3c4d5e"
        return pattern.place.matches(usual) ? usual : pattern.place.shortestValue ?? usual
    }

    /// The claims that identify the tenant.
    var tenantClaims: [Named<String>] {
        guard case .pattern(let pattern) = provider.issuerMatch else { return [] }
        var claims: [Named<String>] = []
        _ = pattern.filled { _, claim in
            claims.append(Named(claim, Self.tenant(of: pattern)))
            return ""
        }
        return claims
    }

    /// The issuer as the metadata names it.
    var metadataIssuer: String? {
        switch provider.issuerMatch {
        case .pattern(let pattern): pattern.source
        case .off: provider.issuer.map { $0 + "/other" } ?? originOfMetadata
        case .exact, .anyOf: provider.issuer ?? originOfMetadata
        }
    }

    private var originOfMetadata: String? { provider.discoveryURL.map { "\($0.scheme)://\($0.authority)" } }

    /// Granted scopes with all that they imply.
    func effectiveScopes(_ granted: [String]) -> Set<String> {
        var effective = Set<String>()
        var open = granted
        while let scope = open.popLast() {
            guard effective.insert(scope).inserted else { continue }
            open += provider.scopes.catalog.first { $0.id == scope }?.implies ?? []
        }
        return effective
    }

    /// The scopes of a client.
    func scopeRules(of clientID: String?) -> ScopeRules {
        func values() -> TemplateValues {
            var values = provider.sampleValues(seams)
            values.set(.client, "id", clientID)
            return values
        }
        return provider.scopeRules(of: values())
    }

    func client(_ id: String) -> SandboxClient? {
        clients.first { $0.clientID.isSameBytes(as: id) } ?? ledger.registeredClients[id]
    }

    /// The client that a request means which names none.
    var onlyClient: SandboxClient? { clients.count == 1 ? clients.first : nil }

    mutating func respond(to request: ServerRequest, at endpoint: EndpointName) -> Reply {
        do throws(OAuthError) {
            return switch endpoint {
            case .authorization: authorization(request)
            case .token, .refresh, .deviceToken: token(request, at: endpoint)
            case .userinfo: userinfo(request)
            case .jwks: keySet(request)
            case .revocation: try revocation(request)
            case .introspection: try introspection(request)
            case .endSession: endSession(request)
            case .deviceAuthorization: deviceAuthorization(request)
            case .registration: registration(request)
            case .pushedAuthorizationRequest: try pushedAuthorizationRequest(request)
            }
        } catch {
            return errorReply(error)
        }
    }

    /// The endpoint that a request reaches. Some providers have several at one URL.
    func endpoint(for request: ServerRequest) -> EndpointName? {
        if revokedToken(in: request.url) != nil { return .revocation }
        let names = endpoints.endpoints(at: request.url)
        let received = request.allParameters
        // Some providers refresh with the request of a step.
        guard names.isEmpty || !isExchangeStep(request) || isRequest(request, received, for: .refresh) else {
            return nil
        }
        guard names.count > 1 else { return names.first }
        // The page is opened with GET; a device posts.
        let device = names.contains(.authorization) ? [EndpointName.deviceAuthorization] : []
        let order: [EndpointName] = [.userinfo, .revocation, .token, .refresh] + device
        return order.first { names.contains($0) && isRequest(request, received, for: $0) }
            ?? names.first { $0 == .userinfo || !order.contains($0) } ?? names.first
    }

    /// Whether a request has what those for an endpoint have.
    private func isRequest(
        _ request: ServerRequest, _ received: ReceivedParameters, for endpoint: EndpointName
    ) -> Bool {
        func has(_ rules: ResolvedRequest, _ parameters: String...) -> Bool {
            let names = ParameterNames(rules)
            return request.method.rawValue == rules.method.rawValue
                && rules.parameters.allSatisfy { received[$0.name]?.isSameBytes(as: $0.value) ?? false }
                && (parameters.isEmpty || parameters.contains { received[names[$0]] != nil })
        }
        switch endpoint {
        case .userinfo:
            // A profile with a grant type of its own is recognized by it; any other is what no other endpoint takes.
            let rules = provider.profile.request
            return rules.parameters.contains { $0.name == "grant_type" } && has(rules)
        case .revocation:
            let rules = provider.revocation.request
            return provider.revocation.tokenIn != nil && has(rules) || has(rules, "token")
        case .token: return has(provider.token.request, "code", "grant_type") || received["grant_type"] != nil
        case .deviceAuthorization:
            let names = ParameterNames(provider.authorization)
            return has(provider.device.request, "client_id", "scope") && received["ticket"] == nil
                && received[names["response_type"]] == nil
        default: return has(provider.refresh.request, "refresh_token")
        }
    }
}

extension Provider {
    /// The provider of a resource that is its own authorization server, if the descriptor does not say which it has.
    fileprivate var withInventedIssuer: Provider {
        guard self.issuer == nil, self.discoveryURL == nil, let resource = self.resource, shared.sections.needsMetadata
        else { return self }
        return found(resource, issuer: "\(resource.scheme)://\(resource.authority)", scopes: [])
    }
}
