public import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
public import CarnetStorage
public import HTTPTypes
public import Logging

/// Sign-in for a web site, with plain HTTP values: any server can pass its requests in and send the replies.
///
/// It handles `GET` of `paths.signIn` (the choice of providers), `POST` of `paths.signIn/PROVIDER` (begins a
/// sign-in), the callbacks at the clients' redirect URIs, `POST` of `paths.signOut`, and `GET` of `paths.signedOut`
/// and of the clients' post-logout redirect URIs, and, if `acceptsInitiatedSignIn`, `GET` and `POST` of
/// `paths.signIn/PROVIDER/initiate`. A pending sign-in and the session are
/// encrypted cookies, and the tokens are in the clients' token store: the memory of a process has nothing that another needs.
public struct WebSignIn: Sendable {
    /// The paths on the site.
    public struct Paths: Sendable {
        package let signIn: String
        package let signOut: String
        package let signedOut: String

        /// - Parameter signedOut: Reports the result of a sign-out.
        public init(signIn: String = "/sign-in", signOut: String = "/sign-out", signedOut: String = "/signed-out") {
            self.signIn = signIn
            self.signOut = signOut
            self.signedOut = signedOut
        }
    }

    /// The maximum size of a form, in bytes.
    public static let maximumBodyBytes = 65_536

    package let clients: ProviderClients
    package let paths: Paths
    private(set) var origin: WebURL
    let keys: KeyRing
    let sessionLifetime: TimeInterval
    let signInLifetime: TimeInterval
    /// After how many seconds without a request an account is signed out; `nil` for never.
    let idleTime: TimeInterval?
    let running = RunningCallbacks()
    let pendingStore: (any PendingStore)?
    /// `nil` if the site keeps no claims.
    let claims: ClaimKeeper?
    let findUser: (@Sendable (WebAccount) async throws -> String)?
    let acceptsInitiatedSignIn: Bool
    let pages: any SignInPages
    private(set) var cookies: SiteCookies
    let recentSessions = RecentSessions()
    package let clock: any WallClock
    let random: any RandomSource
    let logger: Logger
    /// Receives what happens to sessions; by default it is dropped.
    private(set) var report: @Sendable (SessionEvent) -> Void = { _ in }

    /// - Parameters:
    ///   - clients: The clients, each with a redirect URI of this site.
    ///   - origin: The site's origin in browsers, such as `https://app.example`; `http` only on this machine.
    ///   - keys: Encrypt the cookies. Every process of the site needs the same keys. By default a new key, so that sessions end
    ///     with the process.
    ///   - sessionLifetime: How long an account is signed in, in seconds.
    ///   - signInLifetime: How long a sign-in may take, in seconds, including registration at the provider, an e-mail
    ///     to confirm and a second factor. One hour by default.
    ///   - pendingStore: Keeps pending sign-ins instead of the browser's cookie.
    ///   - findUser: Finds or creates the host's own user, once for each sign-in; `WebAccount.userID` has the result. It
    ///     throws `SignInRefusal` to refuse the user; any other error is a page with status 503.
    ///   - claims: The claims that `WebAccount.claims` has: names of the ID token and of the profile, such as `groups`. They are
    ///     read again when the tokens are refreshed and after an hour, and have at most 65,536 bytes for each account. With
    ///     none, the default, nothing is kept.
    ///   - acceptsInitiatedSignIn: Whether other sites, such as a company's portal, may begin a sign-in at
    ///     `paths.signIn/PROVIDER/initiate` (OpenID Connect Core, section 4).
    ///   - pages: The HTML; by default plain pages.
    ///   - clock: The clients' clock by default.
    /// - Throws: `OAuthError` of kind `badRegistration` if a redirect URI is not on this site, or shared by clients
    /// that do not require `iss`; `unsupported` if front-channel logout needs a store with an index of sessions;
    /// `WebURLError`.
    public init(
        _ clients: ProviderClients,
        origin: String,
        keys: KeyRing? = nil,
        paths: Paths = Paths(),
        sessionLifetime: TimeInterval = 12 * 3600,
        signInLifetime: TimeInterval = 3600,
        pendingStore: (any PendingStore)? = nil,
        findUser: (@Sendable (WebAccount) async throws -> String)? = nil,
        claims: [String] = [],
        acceptsInitiatedSignIn: Bool = false,
        pages: (any SignInPages)? = nil,
        clock: (any WallClock)? = nil,
        logger: Logger = Logger(label: "carnet.web", factory: { _ in SwiftLogNoOpLogHandler() })
    ) throws {
        try self.init(
            clients, origin: origin, keys: keys ?? KeyRing(keys: [SystemRandomSource().bytes(count: 32)]), paths: paths,
            sessionLifetime: sessionLifetime, signInLifetime: signInLifetime, pendingStore: pendingStore,
            findUser: findUser, claims: claims, acceptsInitiatedSignIn: acceptsInitiatedSignIn, pages: pages,
            clock: clock, patience: .seconds(3), logger: logger)
    }

    package init(
        _ clients: ProviderClients, origin: String, keys: KeyRing, paths: Paths = Paths(),
        sessionLifetime: TimeInterval = 12 * 3600, signInLifetime: TimeInterval = 3600,
        pendingStore: (any PendingStore)? = nil, findUser: (@Sendable (WebAccount) async throws -> String)? = nil,
        claims: [String] = [], acceptsInitiatedSignIn: Bool = false, pages: (any SignInPages)? = nil,
        clock: (any WallClock)? = nil, random: any RandomSource = SystemRandomSource(), patience: Duration,
        idleTime: TimeInterval? = nil,
        logger: Logger = Logger(label: "carnet.web", factory: { _ in SwiftLogNoOpLogHandler() })
    ) throws {
        self.origin = try WebURL(origin)
        self.clients = clients
        self.keys = keys
        self.paths = paths
        self.sessionLifetime = sessionLifetime
        self.signInLifetime = signInLifetime
        self.pendingStore = pendingStore
        self.findUser = findUser
        self.idleTime = idleTime
        self.acceptsInitiatedSignIn = acceptsInitiatedSignIn
        self.pages = pages ?? PlainSignInPages()
        let clock = clock ?? clients.all.first?.clock ?? SystemWallClock()
        self.clock = clock
        self.claims = claims.isEmpty ? nil : ClaimKeeper(claims, patience: patience, clock, logger)
        self.random = random
        self.logger = logger
        cookies = SiteCookies(origin: self.origin)
        for client in clients.all { try check(client) }
    }

    /// The same site on another of its hosts, whose browsers have cookies of their own there.
    package func at(_ origin: WebURL) -> WebSignIn {
        var site = self
        site.origin = origin
        site.cookies = SiteCookies(origin: origin)
        return site
    }

    /// The same site, which reports what happens to sessions.
    package func reporting(to report: @escaping @Sendable (SessionEvent) -> Void) -> WebSignIn {
        var site = self
        site.report = report
        return site
    }

    /// Whether the clients' stores, the pending store and their keys work, for a health check: one sentence for each that
    /// does not. Each store is read and asked whether it could save, so it may take as long as a database's patience.
    public func healthProblems() async -> [String] {
        var problems: [String] = []
        for client in clients.all {
            do {
                try await client.checkStore()
            } catch {
                problems.append("The store of \(client.provider.id) does not work: \(error)")
            }
        }
        do {
            _ = try await pendingStore?.take(Secret("health check"), now: clock.now)
        } catch {
            problems.append("The store of pending sign-ins does not work: \(error)")
        }
        return problems
    }

    /// Returns when no callback and no refresh of tokens is in progress. Call it before the process ends, after the last
    /// request: tokens that the provider has issued would otherwise be lost.
    public func finish() async {
        await running.finish()
        for client in clients.all { await client.finishRefreshes() }
    }

    /// The path that begins a sign-in when a form is posted to it.
    package func startPath(of provider: ProviderID) -> String { "\(paths.signIn)/\(provider.rawValue)" }

    /// The path of the page of providers, which leads back to the current page.
    package func signInPath(returningTo target: ReturnTarget) -> String {
        "\(paths.signIn)?\(PercentEncoding.encode([(name: "return_to", value: target.path)]))"
    }

    /// Whether a request is for one of the sign-in's routes, or must be refused: a site with an `origin` on this machine
    /// refuses every request under a name of another site.
    public func handles(_ request: HTTPRequest) -> Bool {
        route(of: request) != nil || providerLogoutRoute(of: request) != nil || isRebound(request)
    }

    /// Handles a request; `nil` if `handles` returns `false` for it. The reply to a `HEAD` request has no
    /// body.
    public func respond(to request: HTTPRequest, body: [UInt8] = []) async -> WebReply? {
        var reply = await fullReply(to: request, body: body)
        if request.method == .head { reply?.body = "" }
        return reply
    }

    private func fullReply(to request: HTTPRequest, body: [UInt8]) async -> WebReply? {
        if let (client, isFrontChannel) = providerLogoutRoute(of: request) {
            return await logout(by: client, isFrontChannel: isFrontChannel, request, body: body)
        }
        guard !isRebound(request) else { return .misdirected(to: origin.text) }
        guard let route = route(of: request) else { return nil }
        guard !receivedCookies(of: request).isAmbiguous else {
            return refuse(
                problem(
                    .badRequest, "This browser sent two cookies with the same name",
                    advice: "One of them may come from an attacker, so nobody is signed in. Delete "
                        + "the cookies of this site in the browser's settings, and begin again."))
        }
        let form = String(decoding: body, as: UTF8.self)
        switch (route, request.method) {
        case (.choice, .get), (.choice, .head): return await choice(request)
        case (.start(let provider), .post): return await start(provider, request, form)
        case (.start(let provider), .get), (.start(let provider), .head):
            if let client = clients[provider], !client.provider.hasSignInPage {
                return await begin(client, AuthorizationOptions(), returnTo: .home, request)
            }
            return await choice(request, only: provider)
        case (.callback, .post) where !PercentEncoding.isForm(request.headerFields[.contentType]),
            (.initiation, .post) where !PercentEncoding.isForm(request.headerFields[.contentType]):
            return refuse(problem(.unsupportedMediaType, "This request is not a form"))
        case (.callback, .get), (.callback, .post): return await callback(request, form)
        case (.initiation(let client), .get), (.initiation(let client), .post):
            return await initiate(client, request, form)
        case (.signOut, .post): return await signOut(request, form)
        case (.signedOut, .get), (.signedOut, .head): return await signedOut(request)
        default:
            var reply = refuse(problem(.methodNotAllowed, "This page does not accept this kind of request"))
            reply.head.headerFields[.allow] = route.methods
            return reply
        }
    }

    /// Whether a page of another site reaches this machine, because the name of that site resolves to it (DNS rebinding).
    /// Only its name gives it away: for the browser, both have the same origin.
    func isRebound(_ request: HTTPRequest) -> Bool {
        guard origin.isLoopback else { return false }
        let hosts = HTTPField.Name("Host").map { request.headerFields[values: $0] } ?? []
        return !([request.authority].compactMap { $0 } + hosts).allSatisfy { host in
            (try? WebURL("https://\(host)"))?.isLoopback ?? false
        }
    }

    private enum Route {
        case choice, callback, signOut, signedOut
        case start(ProviderID)
        case initiation(OAuthClient)

        /// A `HEAD` of a callback is not accepted: programs that inspect links send it, and a code serves once.
        var methods: String {
            switch self {
            case .choice, .signedOut: "GET, HEAD"
            case .start: "GET, HEAD, POST"
            case .callback, .initiation: "GET, POST"
            case .signOut: "POST"
            }
        }
    }

    private func route(of request: HTTPRequest) -> Route? {
        let path = request.pathOnly
        if path.isSameBytes(as: paths.signIn) { return .choice }
        if path.isSameBytes(as: paths.signOut) { return .signOut }
        if path.isSameBytes(as: paths.signedOut) { return .signedOut }
        if !clients.providers(receivingCallbacksAt: path).isEmpty { return .callback }
        if clients.isPostLogoutPath(path) { return .signedOut }
        let names = names(inSignInPath: path)
        guard let first = names.first, let client = clients[ProviderID(rawValue: first)] else { return nil }
        if names.count == 1 { return .start(client.provider.id) }
        return isInitiation(names.dropFirst(), of: client) ? .initiation(client) : nil
    }

    /// What stands behind the page of providers in a path: a provider, and what of it.
    func names(inSignInPath path: String) -> [String] {
        let prefix = (paths.signIn + "/").utf8
        guard path.utf8.starts(with: prefix) else { return [] }
        return path.utf8.dropFirst(prefix.count).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }

    private func choice(_ request: HTTPRequest, only provider: ProviderID? = nil) async -> WebReply {
        let returnTo = request.queryValue("return_to").flatMap { ReturnTarget($0) } ?? .home
        var page = choicePage(returnTo, only: provider, session: await shownSession(of: request))
        page.asksForAnother = !(request.queryValue("choose") ?? "").isEmpty
        if let account = page.session?.account() { page.signOutName = await nameOfSignOut(at: account.provider) }
        return .html(pages.choice(page), policy: pages.contentSecurityPolicy)
    }

    /// The name of a provider that can end its own session when the person signs out here.
    package func nameOfSignOut(at provider: ProviderID) async -> String? {
        guard let client = clients[provider], await client.hasEndOfSession() else { return nil }
        return client.provider.name
    }

    func choicePage(
        _ returnTo: ReturnTarget, only provider: ProviderID? = nil, session: WebSession? = nil
    ) -> SignInChoice {
        let shown = clients.all.map(\.provider).filter { $0.hasSignInPage && (provider == nil || $0.id == provider) }
        return SignInChoice(
            providers: shown.map {
                .init(
                    id: $0.id, name: $0.name, color: $0.display.color?.description,
                    textColor: $0.display.color?.textColor, action: startPath(of: $0.id))
            },
            returnTo: returnTo.path, path: signInPath(returningTo: returnTo), session: session)
    }

    func problem(
        _ status: HTTPResponse.Status, _ title: String, advice: String = "Begin again on the sign-in page.",
        provider: ProviderID? = nil, returnTo: ReturnTarget = .home, cause: (any Error)? = nil
    ) -> SignInProblem {
        let isSafe = cause is OAuthError || cause is TokenStoreError || cause is SignInRefusal
        return SignInProblem(
            status: status, title: title, advice: advice, provider: provider, returnTo: returnTo, id: newID(),
            cause: isSafe ? cause : nil)
    }

    /// For a request that is no sign-in, such as one with a wrong method.
    func refuse(_ problem: SignInProblem) -> WebReply {
        show(problem, logging: "A request to the sign-in's pages is refused")
    }

    /// Says what happened, to the person and, under the same id, to the log.
    func show(
        _ problem: SignInProblem, to session: WebSession? = nil, removing names: [String] = [],
        logging message: Logger.Message = "A sign-in failed"
    ) -> WebReply {
        logger.notice(
            message,
            metadata: [
                "id": "\(problem.id)", "provider": "\(problem.provider?.rawValue ?? "")",
                "problem": "\(problem.title)", "cause": "\(problem.cause.map(String.init(describing:)) ?? "")",
            ])
        var reply = WebReply.html(
            pages.problem(problem, choicePage(problem.returnTo, session: session)), status: problem.status,
            policy: pages.contentSecurityPolicy)
        // The page may stand at the callback's URL, which holds a code.
        if let name = HTTPField.Name("Referrer-Policy") { reply.head.headerFields[name] = "no-referrer" }
        reply.set(names.map(cookies.removal))
        return reply
    }

    /// The reference of a page and its log entry.
    func newID() -> String { randomName(bytes: 6) }

    func randomName(bytes count: Int) -> String { random.bytes(count: count).hexadecimal }
}

extension HTTPRequest {
    /// The target up to its query, by bytes: a character may be more than its `?`.
    var pathOnly: String {
        String(Substring((path ?? "").utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }))
    }

    /// The query, still encoded; empty if there is none.
    var query: String {
        String(Substring((path ?? "").utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()))
    }

    /// A parameter of the query that is there once.
    package func queryValue(_ name: String) -> String? {
        let values = (PercentEncoding.decodeForm(query) ?? []).filter { $0.name.isSameBytes(as: name) }
        return values.count == 1 ? values[0].value : nil
    }
}
