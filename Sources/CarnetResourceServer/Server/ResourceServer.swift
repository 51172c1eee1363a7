public import Carnet
import CarnetDescriptors
import CarnetFoundation
public import CarnetProtocol
public import HTTPTypes

/// Decides which requests a server handles, by their access tokens (RFC 6750, RFC 9068, RFC 7662, RFC 9449) and a resource
/// map.
///
/// Create one and keep it: it caches the states of tokens, and remembers used proofs.
public final class ResourceServer: Sendable {
    /// The resource identifier: an audience of access tokens (RFC 8707, section 2; RFC 9728, section 1.2).
    let resource: WebURL
    let issuers: [TokenIssuer]
    let opaqueIssuer: TokenIssuer?
    /// The positions of the issuers with a fixed name, by that name.
    let positions: [ByteKey: Int]
    /// `nil` if every request needs a token, and no more than its scopes in code.
    let routes: RouteTable?
    let clock: any WallClock
    let states: StateCache
    let usedProofs: any UsedTokenStore
    let nonces: DPoPServerNonces?

    /// - Parameters:
    ///   - resource: The resource identifier: the https URL of the API, e.g. `https://api.acme.example`. Without other
    ///     audiences of an issuer, the issuer's tokens must name it.
    ///   - issuers: The providers whose tokens are accepted. A token's own issuer decides which of them validates it.
    ///   - map: The resource map that decides what a request needs. A request for a resource that it does not contain is
    ///     refused. Without a map, every request needs a token.
    ///   - stateLifetime: How long a validated token is not validated again; default: 60 seconds. It is never kept beyond the
    ///     token's expiry.
    ///   - nonceSecret: If not `nil`, DPoP proofs must contain a nonce that is made with it (RFC 9449, section 9). All
    ///     processes of the server need the same secret, at least 32 bytes.
    ///   - usedProofs: Remembers used DPoP proofs; this process's memory by default. Several processes must share one.
    /// - Throws: `OAuthError` of kind `badRegistration` if the resource identifier is invalid, two issuers have the same
    ///   name, or two introspect opaque tokens; of kind `badDescriptor` with file and line if the map cannot decide.
    public init(
        _ resource: String,
        accepting issuers: [TokenIssuer],
        map: SourceFile? = nil,
        stateLifetime: Duration = .seconds(60),
        nonceSecret: Secret? = nil,
        usedProofs: (any UsedTokenStore)? = nil
    ) throws {
        func refused(_ reason: String) -> OAuthError { OAuthError(.configuration, .badRegistration, reason) }
        guard let url = try? WebURL(resource), url.query == nil else {
            throw refused("the resource identifier is not an https URL without a query (RFC 9728, section 1.2)")
        }
        guard let first = issuers.first else { throw refused("no issuer's tokens are accepted") }
        var positions: [ByteKey: Int] = [:]
        for (position, issuer) in issuers.enumerated() {
            guard let name = issuer.client.provider.issuer else {
                guard issuer.introspectsOpaqueTokens else {
                    throw refused(
                        "\(issuer.client.provider.id) has no issuer, so its tokens need the introspection endpoint")
                }
                continue
            }
            guard positions.updateValue(position, forKey: ByteKey(name)) == nil else {
                throw refused("two descriptors have the issuer \(name.quotable())")
            }
        }
        let opaque = issuers.filter(\.introspectsOpaqueTokens)
        guard opaque.count <= 1 else {
            throw refused("an opaque token names no issuer, so only one issuer can introspect")
        }
        guard nonceSecret.map({ $0.reveal().utf8.count >= 32 }) ?? true else {
            throw refused("the secret for nonces is shorter than 32 bytes")
        }
        self.resource = url
        self.issuers = issuers
        self.positions = positions
        opaqueIssuer = opaque.first
        routes = try map.map { file throws(OAuthError) in try RouteTable(deciding: file) }
        clock = first.client.clock
        states = StateCache(lifetime: stateLifetime / .seconds(1))
        self.usedProofs = usedProofs ?? MemoryUsedTokenStore.ofProofs()
        nonces = nonceSecret.map(DPoPServerNonces.init)
    }

    /// Decides whether to handle a request.
    ///
    /// - Parameters:
    ///   - request: As the server received it; its path has the query.
    ///   - scopes: The scopes that it needs, besides those of the resource map.
    ///   - clientCertificate: The certificate of the TLS handshake in DER form, for tokens that are bound to one (RFC 8705).
    public func decide(
        _ request: HTTPRequest, requiring scopes: [String] = [], clientCertificate: [UInt8]? = nil
    ) async -> AccessDecision {
        await decide(request, requiring: scopes, clientCertificate: clientCertificate, from: nil)
    }

    /// - Parameter sender: The address of the sender: unknown tokens of many senders take turns.
    package func decide(
        _ request: HTTPRequest, requiring scopes: [String] = [], clientCertificate: [UInt8]? = nil, from sender: String?
    ) async -> AccessDecision {
        var isDPoP = false
        do throws(AccessProblem) {
            let route = try route(of: request)
            if route?.anonymous != nil, scopes.isEmpty { return .allowed(nil) }
            guard let presented = try PresentedToken(of: request) else { throw .missingToken }
            isDPoP = presented.isDPoP
            let validated = try await validated(presented.token, from: sender)
            try await checkSender(of: validated.token, presented, request, clientCertificate)
            let missing = scopes.filter { !validated.granted.contains($0) }
            guard missing.isEmpty else { throw .insufficientScope(missing) }
            if let route { try check(validated, for: route) }
            return .allowed(Caller(validated))
        } catch {
            return .refused(refusal(error, isDPoP: isDPoP))
        }
    }

    /// The refusal of a request without a token, or with one that lacks scopes. Nothing of it is validated: a proof serves
    /// once.
    package func refusal(of request: HTTPRequest, lacking scopes: [String]) -> AccessRefusal {
        guard !scopes.isEmpty else { return refusal(.missingToken, isDPoP: false) }
        return refusal(.insufficientScope(scopes), isDPoP: (try? PresentedToken(of: request))?.isDPoP ?? false)
    }

    /// Forgets the cached state of an opaque token, because it was revoked.
    public func forget(_ token: Secret) { states.forget(token) }

    // MARK: - The resource map

    private func route(of request: HTTPRequest) throws(AccessProblem) -> Route? {
        guard let routes else { return nil }
        if let header = request.methodOverride { throw .malformed("the request has the header \(header)") }
        // A second one may be the host that another program of the chain goes by.
        if let host = HTTPField.Name("Host"),
            request.headerFields[values: host].contains(where: { $0 != request.authority })
        {
            throw .malformed("the request has two hosts")
        }
        switch routes.match(
            method: request.method.rawValue, authority: request.authority, target: request.path ?? "",
            own: resource.authority)
        {
        case .found(let route): return route
        case .none: throw .notFound("the resource map has no resource with this path")
        case .ambiguous: throw .notFound("the path differs from that of a resource only in its case")
        case .methods(let methods): throw .wrongMethod(methods.map(\.rawValue))
        case .malformed(let problem): throw .malformed("the path \(problem.reason)")
        case .badHost: throw .malformed("the host is missing or invalid")
        case .unknownHost: throw .unknownHost
        }
    }

    private func check(_ validated: ValidatedToken, for route: Route) throws(AccessProblem) {
        let (claims, token) = (validated.token.claims, validated.token)
        // A tenant that nobody chose can state any claim.
        if !route.claims.isEmpty, let provider = issuers.first(where: { $0.client.provider.id == validated.provider }),
            let tenants = provider.client.provider.shared.tenants(of: token.issuer)
        {
            guard tenants.isChosen(by: route.claims.map(\.name)), let issuer = token.issuer,
                tenants.makes(issuer, from: { claims[$0]?.string })
            else {
                throw .forbidden(claim: tenants.claims[0])
            }
        }
        switch route.shortfall(scopes: validated.granted, claims: claims, now: clock.now, skew: 60) {
        case nil: return
        case .scopes(let missing)?: throw .insufficientScope(missing)
        case .claim(let name)?: throw .forbidden(claim: name)
        case .authentication?: throw .insufficientAuthentication(acr: route.acr, maxAge: route.maxAge)
        }
    }
}

extension RouteTable {
    /// - Throws: `OAuthError` with file and line for a map that is invalid, or whose resources contradict each other.
    init(deciding file: SourceFile) throws(OAuthError) {
        func refused(_ reason: String) -> OAuthError {
            OAuthError(
                .configuration, .badDescriptor, "the resource map has a mistake: \(reason)",
                descriptorKey: "resources", hint: "run carnet lint on the file")
        }
        let map = ResourceMapFile(file)
        if let mistake = map.diagnostics.first(where: { $0.severity == .error }) { throw refused("\(mistake)") }
        let (table, problems) = RouteTable.reading(map.entries, hosts: map.hosts)
        if let problem = problems.first {
            let line = map.places[problem.index].entry.start.line
            throw refused("\(file.path):\(line): \(problem.reason)")
        }
        self = table
    }
}
