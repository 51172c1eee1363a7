public import CarnetDescriptors
public import CarnetFoundation
public import HTTPTypes

/// An authorization and resource server that simulates providers from their descriptors alone.
///
/// It handles requests for the providers' own URLs, with their encodings and in the form of their samples. It is
/// strict: a violation of a specification gets the specification's error. It opens no socket; `SandboxServer` does.
public actor Sandbox {
    /// How every secret begins that protects nothing but a sandbox.
    package static let secretMark = "carnet-sandbox-secret"
    /// The audience of what a client signs for a sandbox with its real key. No real server accepts it (RFC 7523, section
    /// 3).
    package static let audience = "urn:carnet:sandbox"

    var servers: [AuthorizationServer]
    let options: SandboxOptions
    let seams: Seams
    private let sleep: @Sendable (Duration) async throws -> Void
    /// The latest requests, oldest first, at most a thousand.
    public private(set) var requests: [SandboxRequest] = []
    private var sendLogout: (@Sendable (SandboxLogout) async -> Void)?

    /// - Parameters:
    ///   - providers: The resolved providers, without metadata.
    ///   - clients: The registrations, the same at every provider.
    ///   - now: The time; this machine's by default.
    public init(
        providers: [Provider], clients: [SandboxClient], options: SandboxOptions = SandboxOptions(),
        now: (@Sendable () -> Date)? = nil
    ) {
        self.init(
            providers: providers, clients: Dictionary(providers.map { ($0.id, clients) }) { first, _ in first },
            options: options, now: now ?? SandboxDefaults.now
        )
    }

    /// - Parameters:
    ///   - providers: The resolved providers, without metadata.
    ///   - clients: The registrations at each provider.
    package init(
        providers: [Provider], clients: [ProviderID: [SandboxClient]], options: SandboxOptions = SandboxOptions(),
        now: @escaping @Sendable () -> Date = SandboxDefaults.now,
        randomBytes: @escaping @Sendable (Int) -> [UInt8] = SandboxDefaults.randomBytes,
        sleep: @escaping @Sendable (Duration) async throws -> Void = SandboxDefaults.sleep
    ) {
        self.sleep = sleep
        let seams = Seams(now: now, randomBytes: randomBytes)
        servers = providers.map {
            AuthorizationServer($0, clients: clients[$0.id] ?? [], options: options, seams: seams)
        }
        self.options = options
        self.seams = seams
    }

    /// Handles a request with the provider's real, absolute URL in its scheme, authority and path.
    public func respond(to request: HTTPRequest, body: [UInt8]) async -> (HTTPResponse, [UInt8]) {
        let text = Self.url(of: request)
        recallFaults(chosenFor: request, body)
        if let slow = servers.first(where: { $0.has(.slow) }) { try? await sleep(slow.options.slowness) }
        // Other requests may have been handled meanwhile.
        recallFaults(chosenFor: request, body)
        let handled = handle(request, text, body)
        if requests.count == Self.longestLog { requests.removeFirst() }
        requests.append(
            SandboxRequest(
                method: request.method, url: text, headers: request.headerFields, body: body,
                provider: handled.provider, endpoint: handled.endpoint, status: handled.reply.status))
        for index in servers.indices {
            let logouts = servers[index].logouts
            servers[index].logouts = []
            for logout in logouts { await sendLogout?(logout) }
        }
        return (HTTPResponse(status: handled.reply.status, headerFields: handled.reply.headers), handled.reply.body)
    }

    /// Whether a connection for a request succeeds. For `false`, an adapter throws its own connection error.
    package func isReachable(_ request: HTTPRequest, body: [UInt8] = []) -> Bool {
        guard let url = try? WebURL(Self.url(of: request)) else { return true }
        recallFaults(chosenFor: request, body)
        return !servers.contains { server in
            server.has(.tokenDown)
                && server.endpoints.endpoints(at: url).contains { [.token, .refresh, .deviceToken].contains($0) }
        }
    }

    static func url(of request: HTTPRequest) -> String {
        "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
    }

    /// Has each server know what a person chose to go wrong in the sign-in that a request belongs to.
    private func recallFaults(chosenFor request: HTTPRequest, _ body: [UInt8]) {
        guard options.offersFaults else { return }
        let texts = (try? WebURL(Self.url(of: request))).map {
            ServerRequest(head: request, url: $0, body: body).possibleCredentials
        }
        for index in servers.indices { servers[index].chosenFault = servers[index].faultChosen(with: texts ?? []) }
    }

    /// Whether a provider is simulated at an origin.
    package func serves(originOf url: WebURL) -> Bool {
        servers.contains { server in
            server.places.contains { $0.origin == url.origin }
                || server.provider.api.hosts.contains { $0 == url.host || $0 == url.authority }
                || server.hasPicture(at: url)
        }
    }

    /// Protects additional resources with the tokens of a provider; of all providers if none is named.
    package func addResources(_ resources: [Resource], of provider: ProviderID? = nil) {
        for index in servers.indices where provider == nil || servers[index].provider.id == provider {
            servers[index].resources += resources
        }
    }

    /// Sends logout tokens from now on, before the page that ends the session. Without a sender they are dropped.
    package func sendLogouts(by send: @escaping @Sendable (SandboxLogout) async -> Void) { sendLogout = send }

    /// Replaces all signing keys. The old ones leave the key sets immediately.
    package func rotateKeys() throws { for index in servers.indices { try servers[index].rotateKeys() } }

    /// Replaces the simulated faults.
    public func setFaults(_ faults: Set<SandboxFault>) {
        for index in servers.indices { servers[index].options.faults = faults }
    }

    /// Simulates a provider from now on. If it replaces one with the same id, the grants and tokens stay valid.
    package func impersonate(_ provider: Provider, clients: [SandboxClient]) {
        var server = AuthorizationServer(provider, clients: clients, options: options, seams: seams)
        if let index = servers.firstIndex(where: { $0.provider.id == provider.id }) {
            server.takeOver(from: servers[index])
            servers[index] = server
        } else {
            servers.append(server)
        }
    }

    private static let longestLog = 1000

    private func handle(
        _ request: HTTPRequest, _ text: String, _ body: [UInt8]
    ) -> (reply: Reply, provider: ProviderID?, endpoint: EndpointName?) {
        let url: WebURL
        do throws(WebURLError) {
            url = try WebURL(text)
        } catch {
            let body: JSONValue = [
                "error": "invalid_request", "error_description": .string("\(text) is not a URL: \(error.reason)"),
            ]
            return (.json(body, status: .badRequest), nil, nil)
        }
        var request = ServerRequest(head: request, url: url, body: body, certificate: Self.certificate(of: request))
        for index in servers.indices {
            let id = servers[index].provider.id
            do throws(OAuthError) {
                request = try servers[index].request(request)
            } catch {
                return (servers[index].errorReply(error), id, servers[index].aliasedEndpoint(at: url))
            }
            servers[index].presentedCertificate = request.certificate
            let url = request.url
            if let endpoint = servers[index].endpoint(for: request),
                endpoint != .userinfo || servers[index].isUserinfo(url)
            {
                if servers[index].fails(endpoint) { return (.serverError, id, endpoint) }
                if let refusal = servers[index].refusalIfBusy(request, at: endpoint) { return (refusal, id, endpoint) }
                if let sharing = self.servers(sharing: endpoint, for: request) {
                    let (reply, provider) = respond(to: request, at: endpoint, sharedBy: sharing)
                    return (reply, provider, endpoint)
                }
                return (servers[index].respond(to: request, at: endpoint), id, endpoint)
            }
            if let reply = servers[index].respondBesideEndpoints(to: request) { return (reply, id, nil) }
        }
        // Several providers may protect one resource: that which issued the token validates it.
        let candidates = servers.filter { $0.hasResource(at: url) }
        let server = candidates.first { $0.hasIssued(tokenOf: request) } ?? candidates.first
        if let id = server?.provider.id, let index = servers.firstIndex(where: { $0.provider.id == id }) {
            return (servers[index].refusalIfBusy(request, at: nil) ?? servers[index].resource(request), id, nil)
        }
        if request.method == .get, let server = servers.first(where: { $0.hasPicture(at: url) }) {
            return (server.picture, server.provider.id, nil)
        }
        return (notFound(url), nil, nil)
    }

    private func notFound(_ url: WebURL) -> Reply {
        let places = servers.flatMap(\.places).map { JSONValue.string($0.text) }
        let text = "there is no endpoint at \(url.origin)\(url.path)"
        return .json(
            ["error": "not_found", "error_description": .string(text), "served": .array(places)], status: .notFound)
    }
}

extension AuthorizationServer {
    /// The reply to a request for a URL that is no endpoint of a client; `nil` if it has no meaning here.
    fileprivate mutating func respondBesideEndpoints(to request: ServerRequest) -> Reply? {
        let url = request.url
        if endpoints.verification?.receives(url) == true { return verification(request) }
        if let step = exchangeStep(for: request) { return exchange(step, request) }
        if let further = profileRequest(at: url) { return profile(request, for: further) }
        if let source = provider.profile.sources.first(where: { $0.jwks.receives(url) }) {
            return keySet(of: source, request)
        }
        if endpoints.resourceMetadata?.receives(url) == true { return resourceMetadata(request) }
        guard endpoints.metadata.contains(where: { $0.receives(url) }) else { return nil }
        return has(.metadata500) ? .serverError : metadata(request)
    }

    fileprivate func fails(_ endpoint: EndpointName) -> Bool {
        let faults: [EndpointName: SandboxFault] = [
            .jwks: .keys500, .userinfo: .userinfo500, .revocation: .revocation500,
        ]
        return faults[endpoint].map(has) ?? false
    }

    /// Whether a user's profile names a URL as the user's picture.
    fileprivate func hasPicture(at url: WebURL) -> Bool {
        options.users.contains { Identity($0, at: provider).picture == url.text }
    }

    /// A public picture for the profile of any user.
    fileprivate var picture: Reply {
        let svg = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><rect width="96" height="96" fill="#c9d4e8"/>\
            <circle cx="48" cy="38" r="18" fill="#3a4d73"/><path d="M14 96a34 34 0 0 1 68 0z" fill="#3a4d73"/></svg>
            """
        return Reply(
            .ok, [.contentType: "image/svg+xml", .contentSecurityPolicy: "default-src 'none'"], body: Array(svg.utf8))
    }

    /// Every URL that has a meaning here.
    fileprivate var places: [WebURL] {
        EndpointName.allCases.compactMap { endpoints[$0] } + endpoints.metadata
            + [endpoints.verification, endpoints.resourceMetadata, provider.resource].compactMap { $0 }
            + resources.map(\.target)
            + provider.profile.requests.compactMap(\.url) + provider.profile.sources.map(\.jwks)
            + provider.endpoints.mtls.values
    }
}
