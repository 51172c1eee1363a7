import CarnetDescriptors
import CarnetFoundation
import CarnetGateway
import CarnetProtocol
import CarnetResourceServer
import CarnetSandbox
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes
import Logging
import Testing

/// A gateway for `apps.example` and other hosts, with a sandbox for its providers and a clock that stands still.
struct Stand {
    static let origin = "https://apps.example"

    let site: GatewaySite
    let sandbox: Sandbox
    let clock = ManualClock(now: Date(timeIntervalSince1970: 1_800_000_000))
    let store = FailingStore()
    let log = RecordedLog()
    let clients: ProviderClients

    init(
        _ file: String = Stand.file, users: [SandboxUser] = [.sample], secret: String? = nil,
        identityKeys: [ClientKey] = [], providers: [String] = [Stand.acme, Stand.globex],
        over network: (SandboxTransport) -> any Transport = { $0 }
    ) async throws {
        let (clock, store) = (clock, store)
        let descriptors = try providers.map(Stand.descriptor)
        sandbox = Sandbox(
            providers: try descriptors.map { try $0.resolve(inputs: [:]) },
            clients: [
                SandboxClient(
                    clientID: "client",
                    redirectURIs: descriptors.map { Stand.origin + GatewayPaths.callback(of: $0.id) },
                    backChannelLogoutURI: Stand.origin + "/carnet/sign-in/acme/back-channel-logout")
            ],
            options: SandboxOptions(approval: .automatic(users[0]), users: users), now: { clock.now })
        let transport = network(SandboxTransport(sandbox))
        clients = ProviderClients(
            try descriptors.map { descriptor in
                try OAuthClient(
                    descriptor,
                    registration: ClientRegistration(
                        clientID: "client", redirectURI: Stand.origin + GatewayPaths.callback(of: descriptor.id)),
                    transport: transport, store: store, clock: clock)
            })
        site = GatewaySite(
            try Stand.version(file, clients, clock, secret, identityKeys, log), logger: log.logger)
    }

    /// Longer than a busy machine stands still.
    static var patience: GatewayPatience {
        var patience = GatewayPatience()
        (patience.store, patience.openStore, patience.provider) = (.seconds(3600), .seconds(3600), .seconds(3600))
        return patience
    }

    /// Another version of the file, with the same clients.
    func version(
        _ file: String, secret: String? = nil, identityKeys: [ClientKey] = [],
        patience: GatewayPatience = Stand.patience
    ) throws -> GatewayVersion {
        try Self.version(file, clients, clock, secret, identityKeys, log, patience)
    }

    private static func version(
        _ file: String, _ clients: ProviderClients, _ clock: ManualClock, _ secret: String?,
        _ identityKeys: [ClientKey],
        _ log: RecordedLog, _ patience: GatewayPatience = Stand.patience
    ) throws -> GatewayVersion {
        let read = GatewayFile(SourceFile(path: "gateway.yaml", text: file))
        let errors = read.diagnostics.filter { $0.severity == .error }
        #expect(errors.isEmpty, "\(errors)")
        let gateway = try Gateway(read)
        let providers = gateway.rules.providers.map(\.id)
        let named = ProviderClients(
            clients.all.filter { gateway.rules.provider($0.provider.id)?.signsIn ?? false }, inOrder: providers)
        let web = try WebSignIn(
            named, origin: origin, keys: KeyRing(EncryptionKey([UInt8](repeating: 7, count: 32))),
            paths: GatewayPaths.web, claims: gateway.rules.claimNames, pages: gateway.rules.signInPages,
            patience: .seconds(3), idleTime: gateway.rules.session.idle == 0 ? nil : Double(gateway.rules.session.idle),
            logger: log.logger)
        let issuers = try gateway.rules.bearer.map { issuer in
            TokenIssuer(
                try #require(clients[issuer.provider]),
                audiences: issuer.audiences.isEmpty ? [origin] : issuer.audiences)
        }
        return GatewayVersion(
            gateway, web: web, issuers: issuers, proxySecret: secret.map { Secret($0) }, identityKeys: identityKeys,
            patience: patience)
    }

    static func descriptor(_ text: String) throws -> ProviderDescriptor {
        let document = DescriptorDocument(SourceFile(path: "test.yaml", text: text))
        return try #require(document.descriptor, "\(document.diagnostics)")
    }

    static let acme = """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        scopes: { default: [openid, profile, email] }
        profile: { claims: { groups: /groups } }
        endpoints: { end_session: https://id.acme.example/logout }

        """

    static let globex = acme.replacing("acme", with: "globex").replacing("Acme", with: "Globex")

    static let file = """
        gateway: 1
        origin: https://apps.example
        providers: [acme, globex]
        bearer: [acme]
        routes:
          - { path: /public/**, allow: anyone }
          - { path: /**, allow: signed_in }
          - { path: /admin/**, allow: { provider: acme, group: [ops] } }
          - { path: /api/**, bearer: true, allow: signed_in }
          - { path: /api/write, bearer: true, allow: { scope: write } }
          - { host: wiki.apps.example, allow: signed_in }
        headers: { X-Auth-User: "{account.subject}", X-Auth-Email: "{account.email}" }
        page: { name: Example Apps, color: "#0A5C36" }

        """

    /// The user in the group that may open `/admin`.
    static let groupMember = SandboxUser(
        label: "Ada", claims: ["subject": "ada", "email": "ada@apps.example", "groups": ["ops"]])

    // MARK: - A proxy

    /// What a proxy asks about a request.
    func ask(
        _ url: String, method: String = "GET", _ fields: HTTPFields = [.accept: "text/html"],
        dropping dropped: String? = nil,
        adding added: [(name: String, value: String)] = [], from peer: String? = "127.0.0.1",
        at path: String = GatewayPaths.decide
    ) async throws -> WebReply {
        let parts = try WebURL(url)
        var request = HTTPRequest(
            method: .get, scheme: "http", authority: "127.0.0.1:8500",
            path: path, headerFields: fields)
        let described = [
            ("X-Forwarded-Method", method), ("X-Forwarded-Proto", parts.scheme), ("X-Forwarded-Host", parts.authority),
            ("X-Forwarded-Uri", parts.target),
        ]
        for (name, value) in described + added where name != dropped {
            request.headerFields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return await site.respond(to: request, from: peer.flatMap { IPAddress(numericHost: $0) })
    }
}

/// A browser behind the proxy: keeps the cookies of each host, and follows redirects.
struct Person {
    let stand: Stand
    var cookies: [String: [String: String]] = [:]
    /// Whether the cookies of a host go to its subdomains too, as with Python's http.cookiejar.
    var isLiberal = false

    init(_ stand: Stand) { self.stand = stand }

    func cookie(_ host: String) -> String? {
        let hosts = cookies.keys.filter { $0 == host || isLiberal && host.hasSuffix("." + $0) }.sorted()
        let sent = hosts.flatMap { host in
            (cookies[host] ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        }
        return sent.isEmpty ? nil : sent.joined(separator: "; ")
    }

    /// One request; a page of the gateway goes to it, any other is decided about.
    mutating func get(_ url: String, post form: String? = nil) async throws -> WebReply {
        let parts = try WebURL(url)
        var fields: HTTPFields = [.accept: "text/html"]
        fields[.cookie] = cookie(parts.host)
        guard parts.path.hasPrefix("/carnet/") else { return try await stand.ask(url, fields) }
        if let name = HTTPField.Name("Sec-Fetch-Site") { fields[name] = "same-origin" }
        var request = HTTPRequest(
            method: form == nil ? .get : .post, scheme: "https", authority: parts.authority, path: parts.target,
            headerFields: fields)
        if form != nil { request.headerFields[.contentType] = "application/x-www-form-urlencoded" }
        let reply = await stand.site.respond(
            to: request, body: Array((form ?? "").utf8), from: IPAddress(numericHost: "127.0.0.1"))
        for cookie in reply.head.headerFields[values: .setCookie] {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            cookies[parts.host, default: [:]][String(pair[0])] = pair[1].isEmpty ? nil : String(pair[1])
            #expect(cookie.utf8.count <= 4096)
        }
        return reply
    }

    /// Opens a page, and signs in on the way if that is asked for.
    mutating func open(_ url: String, with provider: String = "acme") async throws -> (reply: WebReply, url: String) {
        var url = url
        for _ in 0..<12 {
            let reply = try await get(url)
            let parts = try WebURL(url)
            if let location = reply.head.headerFields[.location] {
                url = location.hasPrefix("/") ? "https://\(parts.authority)\(location)" : location
            } else if parts.path == "/carnet/sign-in" {
                let target =
                    PercentEncoding.decodeForm(parts.query ?? "")?.first { $0.name == "return_to" }?.value ?? "/"
                url = try await signIn(provider, returningTo: target)
            } else {
                return (reply, url)
            }
        }
        Issue.record("too many redirects, to \(url)")
        return (try await get(url), url)
    }

    /// Signs in at the origin.
    ///
    /// - Returns: Where the callback leads.
    mutating func signIn(_ provider: String = "acme", returningTo target: String = "/") async throws -> String {
        let form = PercentEncoding.encode([(name: "return_to", value: target)])
        let begun = try await get("\(Stand.origin)/carnet/sign-in/\(provider)", post: form)
        let location = try #require(begun.head.headerFields[.location], "\(begun.body)")
        let callback = try await stand.sandbox.approve(authorizationURL: location)
        let done = try await get(callback)
        let next = try #require(done.head.headerFields[.location], "\(done.body)")
        return Stand.origin + next
    }
}

extension WebReply {
    subscript(name: String) -> String? { HTTPField.Name(name).flatMap { head.headerFields[$0] } }
    var location: String? { head.headerFields[.location] }
    var status: Int { head.status.code }
}
