import Carnet
package import CarnetDescriptors
import CarnetFoundation
package import CarnetHummingbird
import CarnetProtocol
import CarnetSandbox
import CarnetUserAgent
import CarnetWeb
import HTTPTypes
package import Hummingbird
import HummingbirdCore

/// The demonstration: sign-in with every provider, and what the tokens are and open.
package struct DemoSite: Sendable {
    /// What the paths of all callbacks begin with. Each provider has one of its own, so that no server's code can be
    /// taken for another's (RFC 9700, section 4.4.2).
    static let callbackPrefix = "/callback/"

    package static func callbackPath(of provider: ProviderID) -> String { callbackPrefix + provider.rawValue }

    private static let formLimit = 1 << 18

    let setup: DemoSetup
    let web: WebSignIn
    let pages: DemoPages
    /// Where a browser finds the sandbox.
    let sandbox: SandboxAddress?
    /// The resources of a map, instead of the descriptors' own.
    let resources: DemoResources?

    /// The server, for programs of this user alone.
    package func application(
        port: Int, _ limits: ServerLimits = ServerLimits(), onStart: @escaping @Sendable () async -> Void = {}
    ) -> some ApplicationProtocol {
        limits.application(
            router().buildResponder(), at: .hostname("127.0.0.1", port: port), handlers: { [LoopbackPeerGuard()] },
            onStart: { _ in await onStart() })
    }

    var flow: FlowLog { setup.flow }

    func router() -> Router<BasicSignInRequestContext> {
        let router = Router(context: BasicSignInRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: DemoFlows(site: self))
        router.add(middleware: SignInMiddleware(web))
        router.get("/assets/style.css") { _, _ in
            asset(DemoAssets.style + DemoAssets.brands(web.clients.all.map(\.provider)), "text/css")
        }
        router.get("/assets/descriptor.js") { _, _ in asset(DemoAssets.script, "text/javascript") }
        router.get("/assets/icon.svg") { _, _ in asset(DemoAssets.icon, "image/svg+xml") }
        router.get("/") { request, context in home(request, context) }
        router.get("/flows/:provider") { request, context in flowPage(request, context) }
        router.get("/descriptor") { _, _ in html(pages.descriptor(report(DescriptorReport.sample))) }
        router.post("/descriptor") { request, _ in try await descriptor(request) }
        router.post("/descriptor/lint") { request, _ in try await lint(request) }
        let accounts = router.group("/accounts").add(middleware: RequireSignIn())
        accounts.get("/:provider") { request, context in
            let tab = AccountView.Tab(rawValue: String(request.uri.queryParameters["tab"] ?? "")) ?? .profile
            return try await visiting(request, context) { try await page(of: $0, tab) }
        }
        accounts.post("/:provider/refresh") { request, context in try await refresh(request, context) }
        accounts.post("/:provider/resources/:number") { request, context in try await call(request, context) }
        router.get("**") { _, _ in html(pages.notFound(), .notFound) }
        return router
    }

    func html(_ page: HTML, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(.html(page.text, status: status, policy: pages.contentSecurityPolicy))
    }

    private func asset(_ text: String, _ type: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "\(type); charset=utf-8", .cacheControl: "no-cache", .xContentTypeOptions: "nosniff",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
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
                providers: shown.map { ($0, setup.isSandboxed($0.id)) }, problems: setup.news.problems))
    }

    private func flowPage(_ request: Request, _ context: BasicSignInRequestContext) -> Response {
        let provider = ProviderID(rawValue: context.parameters.get("provider") ?? "")
        guard let name = web.clients[provider]?.provider.name else { return html(pages.notFound(), .notFound) }
        let steps = DemoFlows.visitor(of: request).map { flow.steps(of: provider, for: $0) } ?? []
        let isSignedIn = context.signIn.session?.account(of: provider) != nil
        return html(pages.flow(provider: provider, name: name, steps: steps, isSignedIn: isSignedIn))
    }

    private func report(_ text: String) -> DescriptorReport { DescriptorReport(text, beside: setup.registry) }

    private func descriptor(_ request: Request) async throws -> Response {
        let fields = try await form(request)
        let report = report(fields.first { $0.name == "text" }?.value ?? "")
        guard !fields.contains(where: { $0.name == "fix" }) else {
            return html(pages.descriptor(self.report(report.mended)))
        }
        return html(pages.descriptor(report, trial: await report.trial(setup.trial)))
    }

    /// The part of the page that changes while somebody types.
    private func lint(_ request: Request) async throws -> Response {
        let text = try await form(request).first { $0.name == "text" }?.value ?? ""
        return html(pages.findings(report(text)))
    }

    /// - Throws: `HTTPError` if the form came from another site, or is invalid.
    func form(_ request: Request) async throws -> [(name: String, value: String)] {
        guard web.isOwnPage(request.head) else {
            throw HTTPError(.forbidden, message: "the form was sent by another site")
        }
        guard let body = try? await request.body.collect(upTo: Self.formLimit) else {
            throw HTTPError(.contentTooLarge)
        }
        guard let fields = PercentEncoding.decodeForm(String(buffer: body)) else { throw HTTPError(.badRequest) }
        return fields
    }
}
