import CarnetDescriptors
import CarnetProtocol
import CarnetSandbox
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes
import Logging
import Testing

/// A web site that signs in to sandboxes, with a clock that stands still.
struct Site {
    static let origin = "https://app.example"

    let web: WebSignIn
    let clients: ProviderClients
    let sandbox: Sandbox
    let clock: ManualClock
    let records = FailingStore()
    var store: MemoryTokenStore { records.inner }

    init(
        _ descriptors: [String] = [Site.acme],
        users: [SandboxUser] = [.sample],
        keys: KeyRing? = nil,
        pendingStore: (any PendingStore)? = nil,
        postLogoutRedirectURI: String? = nil,
        faults: Set<SandboxFault> = [],
        backChannelLogoutURI: String? = nil,
        sessionLifetime: TimeInterval = 12 * 3600,
        signInLifetime: TimeInterval = 3600,
        findUser: (@Sendable (WebAccount) async throws -> String)? = nil,
        claims: [String] = [],
        patience: Duration = .seconds(60),
        acceptsInitiatedSignIn: Bool = false,
        over network: (SandboxTransport) -> any Transport = { $0 },
        logger: Logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    ) throws {
        let clock = ManualClock(now: Date(timeIntervalSince1970: 1_800_000_000))
        let read = try descriptors.map(Site.descriptor)
        let redirects = read.map { Site.redirectURI(of: $0.id) }
        sandbox = Sandbox(
            providers: try read.map { try $0.resolve(inputs: [:]) },
            clients: [
                SandboxClient(
                    clientID: "client", redirectURIs: redirects,
                    postLogoutRedirectURIs: [postLogoutRedirectURI].compactMap { $0 },
                    backChannelLogoutURI: backChannelLogoutURI)
            ],
            options: SandboxOptions(approval: .automatic(users[0]), users: users, faults: faults),
            now: { clock.now }
        )
        let transport = network(SandboxTransport(sandbox))
        let records = records
        clients = ProviderClients(
            try read.map {
                try Site.client(of: $0, transport, records, clock, postLogoutRedirectURI: postLogoutRedirectURI)
            }
        )
        web = try WebSignIn(
            clients,
            origin: Site.origin,
            keys: keys ?? KeyRing(EncryptionKey([UInt8](repeating: 7, count: 32))),
            sessionLifetime: sessionLifetime,
            signInLifetime: signInLifetime,
            pendingStore: pendingStore,
            findUser: findUser,
            claims: claims,
            acceptsInitiatedSignIn: acceptsInitiatedSignIn,
            patience: patience,
            logger: logger
        )
        self.clock = clock
    }

    static func redirectURI(of provider: ProviderID) -> String {
        "\(origin)/sign-in/\(provider.rawValue)/callback"
    }

    /// A client as those that the site began with.
    func client(of descriptor: ProviderDescriptor) throws -> OAuthClient {
        try Site.client(of: descriptor, SandboxTransport(sandbox), store, clock)
    }

    private static func client(
        of descriptor: ProviderDescriptor, _ transport: any Transport, _ store: any TokenStore,
        _ clock: ManualClock, postLogoutRedirectURI: String? = nil
    ) throws -> OAuthClient {
        try OAuthClient(
            descriptor,
            registration: ClientRegistration(
                clientID: "client", redirectURI: redirectURI(of: descriptor.id),
                postLogoutRedirectURI: postLogoutRedirectURI),
            transport: transport,
            store: store,
            clock: clock
        )
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

        """

    static let globex = acme.replacing("acme", with: "globex").replacing("Acme", with: "Globex")

    static let revoking = acme + "endpoints: { revocation: https://id.acme.example/revoke }\n"

    static let ending =
        acme
        + "endpoints: { revocation: https://id.acme.example/revoke, end_session: https://id.acme.example/logout }\n"

    /// Posts its responses (OAuth 2.0 Form Post Response Mode).
    static let posting = acme + "authorization: { response_mode: form_post }\n"
}

/// A browser: keeps cookies, and sends what browsers send.
struct Browser {
    let site: Site
    private(set) var cookies: [String: String] = [:]
    /// The attributes of each cookie as it was set last.
    private(set) var attributes: [String: String] = [:]
    var userAgent: String?

    init(_ site: Site) {
        self.site = site
    }

    mutating func get(_ path: String) async throws -> WebReply {
        try await send(HTTPRequest(method: .get, scheme: "https", authority: "app.example", path: path))
    }

    /// - Parameter from: What `Sec-Fetch-Site` says of the page with the form.
    mutating func post(
        _ path: String, _ fields: [(name: String, value: String)] = [], from: String? = "same-origin"
    ) async throws -> WebReply {
        var request = HTTPRequest(method: .post, scheme: "https", authority: "app.example", path: path)
        if let from, let name = HTTPField.Name("Sec-Fetch-Site") { request.headerFields[name] = from }
        return try await send(request, PercentEncoding.encode(fields))
    }

    /// - Parameter omitted: The cookies that the browser keeps to itself.
    mutating func send(_ request: HTTPRequest, _ form: String = "", omitting omitted: [String] = []) async throws
        -> WebReply
    {
        var request = request
        if request.method == .post { request.headerFields[.contentType] = "application/x-www-form-urlencoded" }
        request.headerFields[.userAgent] = userAgent
        let sent = cookies.filter { !omitted.contains($0.key) }.sorted { $0.key < $1.key }
        if !sent.isEmpty {
            request.headerFields[.cookie] = sent.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        }
        let reply = try #require(await site.web.respond(to: request, body: Array(form.utf8)))
        for cookie in reply.head.headerFields[values: .setCookie] { take(cookie) }
        return reply
    }

    private mutating func take(_ cookie: String) {
        let parts = cookie.split(separator: ";", maxSplits: 1)
        let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        attributes[pair[0]] = parts.count > 1 ? String(parts[1]) : ""
        cookies[pair[0]] = pair[1].isEmpty ? nil : pair[1]
    }

    /// What a page would say, without what it does to the cookies.
    func peek(_ path: String) async throws -> WebReply {
        var copy = self
        return try await copy.get(path)
    }

    mutating func plant(_ name: String, _ value: String) { cookies[name] = value }

    /// Begins a sign-in and lets the sandbox say yes.
    ///
    /// - Returns: The path and query of the callback.
    mutating func beginAndApprove(
        _ provider: String = "acme", _ fields: [(name: String, value: String)] = []
    ) async throws -> String {
        let reply = try await post("/sign-in/\(provider)", fields)
        let location = try #require(reply.head.headerFields[.location], "\(reply.body)")
        return String(try await site.sandbox.approve(authorizationURL: location).dropFirst(Site.origin.count))
    }

    mutating func signIn(_ provider: String = "acme", _ fields: [(name: String, value: String)] = []) async throws
        -> WebReply
    {
        try await get(try await beginAndApprove(provider, fields))
    }

    var session: WebSession? { site.web.session(of: request) }

    /// A request for a page, with the cookies.
    var request: HTTPRequest {
        var request = HTTPRequest(method: .get, scheme: "https", authority: "app.example", path: "/")
        request.headerFields[.cookie] = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        return request
    }

    static let sessionCookie = "__Host-carnet-session"
}
