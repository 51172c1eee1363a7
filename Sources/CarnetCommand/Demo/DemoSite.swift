import Carnet
import CarnetHummingbird
import CarnetSandbox
import CarnetWeb
import HTTPTypes
import Hummingbird

/// The demonstration: sign-in with every provider, and what the tokens are and open.
struct DemoSite: Sendable {
    let web: WebSignIn
    let registry: ProviderRegistry
    let flow: FlowLog
    let pages: DemoPages
    /// The providers that the sandbox stands for.
    let sandboxed: Set<ProviderID>
    /// Where a browser finds the sandbox.
    let sandbox: SandboxAddress

    func router() -> Router<BasicSignInRequestContext> {
        let router = Router(context: BasicSignInRequestContext.self)
        router.add(middleware: DemoRedirects(site: self))
        router.add(middleware: SignInMiddleware(web))
        router.get("/style.css") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/css; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: DemoPages.style)))
        }
        router.get("/") { request, context in home(request, context) }
        router.get("/descriptor") { _, _ in html(pages.descriptor(text: DemoPages.sampleDescriptor, report: nil)) }
        router.post("/descriptor") { request, _ in try await descriptor(request) }
        let accounts = router.group("/accounts").add(middleware: RequireSignIn())
        accounts.get("/:provider") { request, context in try await account(request, context, answer: nil) }
        accounts.get("/:provider/flow") { _, context in try await flowPage(context) }
        accounts.post("/:provider/refresh") { request, context in try await refresh(request, context) }
        accounts.post("/:provider/resources/:number") { request, context in try await call(request, context) }
        return router
    }

    func html(_ page: String, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy: pages.contentSecurityPolicy, .xContentTypeOptions: "nosniff",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: page))
        )
    }

    private func home(_ request: Request, _ context: BasicSignInRequestContext) -> Response {
        let query = String(request.uri.queryParameters["q"] ?? "").prefix(100)
        let words = query.lowercased().split(separator: " ")
        let shown = web.clients.all.map(\.provider).filter { provider in
            let text = "\(provider.id) \(provider.name)".lowercased()
            return words.allSatisfy { text.contains($0) }
        }
        return html(
            pages.home(
                query: String(query), accounts: context.signIn.session?.accounts ?? [],
                providers: shown.map { ($0, sandboxed.contains($0.id)) }))
    }

    private func descriptor(_ request: Request) async throws -> Response {
        let text = try await form(request).first { $0.name == "text" }?.value ?? ""
        return html(pages.descriptor(text: text, report: await DescriptorReport(text, beside: registry)))
    }

    /// - Throws: `HTTPError` if the form came from another site, or is none.
    private func form(_ request: Request) async throws -> [(name: String, value: String)] {
        guard web.isOwnPage(request.head) else { throw HTTPError(.forbidden, message: "the form is of another site") }
        guard let body = try? await request.body.collect(upTo: 1 << 18) else { throw HTTPError(.contentTooLarge) }
        guard let fields = PercentEncoding.decodeForm(String(buffer: body)) else { throw HTTPError(.badRequest) }
        return fields
    }

    private func session(_ context: BasicSignInRequestContext) async throws -> (WebAccount, Session) {
        let provider = ProviderID(rawValue: context.parameters.get("provider") ?? "")
        guard let account = context.signIn.session?.account(of: provider) else {
            throw HTTPError(.notFound, message: "nobody is signed in there")
        }
        return (account, try await context.signIn.tokens(of: provider))
    }

    private func account(
        _ request: Request, _ context: BasicSignInRequestContext, answer: ResourceAnswer?
    ) async throws -> Response {
        let (account, session) = try await session(context)
        let tab = answer == nil ? String(request.uri.queryParameters["tab"] ?? "profile") : "resources"
        let tokens = try await session.storedTokens()
        let view = AccountView(
            account: account,
            provider: web.clients[account.provider]?.provider.name ?? account.provider.rawValue,
            tab: AccountView.Tab(rawValue: tab) ?? .profile,
            tokens: tokens,
            profile: tab == "profile" ? await ProfileView(of: session) : nil,
            resources: try await session.resources(),
            answer: answer
        )
        return html(pages.account(view))
    }

    private func refresh(_ request: Request, _ context: BasicSignInRequestContext) async throws -> Response {
        _ = try await form(request)
        let (account, session) = try await session(context)
        do {
            try await session.refresh()
        } catch let error as OAuthError {
            return html(pages.failure(error, backTo: "/accounts/\(account.provider)"), .badGateway)
        }
        return .redirect(to: "/accounts/\(account.provider)?tab=payload", type: .normal)
    }

    private func call(_ request: Request, _ context: BasicSignInRequestContext) async throws -> Response {
        _ = try await form(request)
        let (_, session) = try await session(context)
        let resources = try await session.resourceMap().resources
        guard let number = context.parameters.get("number").flatMap({ Int($0) }), resources.indices.contains(number)
        else { throw HTTPError(.notFound) }
        let resource = resources[number]
        do {
            let response = try await session.call(resource)
            let json = try? JSONValue(parsing: response.body)
            let text = json?.jsonText(.indented) ?? "(\(response.body.count) bytes that are not JSON)"
            let answer = ResourceAnswer(title: resource.title, status: "\(response.status)", text: text)
            return try await account(request, context, answer: answer)
        } catch let error as OAuthError {
            let status = error.status.map { "\($0)" } ?? "no answer"
            let answer = ResourceAnswer(title: resource.title, status: status, text: error.description)
            return try await account(request, context, answer: answer)
        }
    }

    private func flowPage(_ context: BasicSignInRequestContext) async throws -> Response {
        let (account, _) = try await session(context)
        let name = web.clients[account.provider]?.provider.name ?? ""
        return html(pages.flow(provider: account.provider, name: name, steps: flow.steps(of: account.provider)))
    }
}

/// What a resource said, or why it did not.
struct ResourceAnswer {
    let title: String
    let status: String
    let text: String
}

/// Leads browsers to the sandbox where it stands for a provider, and notes their two ways for the flow's picture.
struct DemoRedirects: RouterMiddleware {
    let site: DemoSite

    func handle(
        _ request: Request,
        context: BasicSignInRequestContext,
        next: (Request, BasicSignInRequestContext) async throws -> Response
    ) async throws -> Response {
        let prefix = site.web.paths.signIn + "/"
        let starts = request.method == .post && request.uri.path.hasPrefix(prefix)
        let provider = ProviderID(rawValue: String(request.uri.path.dropFirst(prefix.count)))
        if starts { site.flow.begin(provider) }
        if request.uri.path == DemoSite.callbackPath { site.flow.noteCallback(request.head.path ?? "") }
        var response = try await next(request, context)
        guard let location = response.headers[.location], let url = try? WebURL(location) else { return response }
        if starts { site.flow.noteRedirect(to: location, provider) }
        let isSandboxed =
            starts
            ? site.sandboxed.contains(provider)
            : site.sandboxed.contains { site.web.clients[$0]?.provider.has(url) == true }
        if isSandboxed {
            response.headers[.location] = site.sandbox.sandboxURL(for: url)
        }
        return response
    }
}

extension DemoSite {
    static let callbackPath = "/callback"
}

extension Provider {
    /// Whether a page is on the host of one of the endpoints, or of the issuer.
    fileprivate func has(_ url: WebURL) -> Bool {
        let pages = endpoints.values.map(\.origin) + [issuer.flatMap { try? WebURL($0).origin }].compactMap { $0 }
        return pages.contains(url.origin)
    }
}
