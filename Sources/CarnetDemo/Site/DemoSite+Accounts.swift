import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetHummingbird
import CarnetSandbox
import CarnetWeb
import HTTPTypes
import Hummingbird

extension DemoSite {
    /// An account of the browser, with its tokens.
    struct Visit {
        let account: WebAccount
        let session: Session
        /// Whether the provider has a later account, so that this one must be named.
        let isOther: Bool

        func path(tab: AccountView.Tab) -> String {
            "/accounts/\(account.provider)?tab=\(tab)" + (isOther ? "&account=\(account.storeName)" : "")
        }
    }

    /// Responds with the account that the query names, or the latest of the provider; without one, with the sign-in
    /// page.
    func visiting(
        _ request: Request, _ context: BasicSignInRequestContext, _ respond: (Visit) async throws -> Response
    ) async throws -> Response {
        let provider = ProviderID(rawValue: context.parameters.get("provider") ?? "")
        guard web.clients[provider] != nil else { return html(pages.notFound(), .notFound) }
        let named = request.uri.queryParameters["account"].map { String($0) }
        let accounts = (context.signIn.session?.accounts ?? []).filter { $0.provider == provider }
        let account = accounts.first { account in named.map { account.storeName.isSameBytes(as: $0) } ?? true }
        guard let account else {
            return .redirect(to: "\(web.startPath(of: provider))?return_to=/accounts/\(provider)", type: .normal)
        }
        do {
            let session = try await context.signIn.tokens(for: account)
            return try await respond(Visit(account: account, session: session, isOther: account != accounts.first))
        } catch let error as OAuthError {
            return Response(web.problem(error, of: account, in: request.head, returnTo: "/accounts/\(provider)"))
        }
    }

    func page(of visit: Visit, _ tab: AccountView.Tab, response: ResourceResponse? = nil) async throws -> Response {
        let provider = web.clients[visit.account.provider]?.provider
        var profile: ProfileView?
        if tab == .profile, let provider {
            profile = await ProfileView(of: visit.session, over: setup.transport(to: provider))
        }
        return html(
            pages.account(
                AccountView(
                    visit: visit, provider: provider?.name ?? visit.account.provider.rawValue, tab: tab,
                    tokens: try await visit.session.storedTokens(), profile: profile,
                    resources: try await visit.session.resources(try await map(for: visit.account)), response: response)
            ))
    }

    /// The resources of `--map`; `nil` if the descriptor's own count.
    private func map(for account: WebAccount) async throws -> ResourceMap? {
        guard let client = web.clients[account.provider] else { return nil }
        let own: Sandbox? =
            if case .own(let sandbox) = setup.stage, setup.isSandboxed(account.provider) { sandbox } else { nil }
        return try await resources?.resources(of: client, own)
    }

    func refresh(_ request: Request, _ context: BasicSignInRequestContext) async throws -> Response {
        _ = try await form(request)
        return try await visiting(request, context) { visit in
            try await visit.session.refresh()
            return .redirect(to: visit.path(tab: .payload), type: .normal)
        }
    }

    func call(_ request: Request, _ context: BasicSignInRequestContext) async throws -> Response {
        _ = try await form(request)
        return try await visiting(request, context) { visit in
            let access = try await visit.session.resources(try await map(for: visit.account))
            guard let number = context.parameters.get("number").flatMap({ Int($0) }), access.indices.contains(number)
            else { return html(pages.notFound(), .notFound) }
            let response = await ResourceResponse(calling: access[number].resource, as: visit.session)
            return try await page(of: visit, .resources, response: response)
        }
    }
}

/// What a resource said, or why it did not.
struct ResourceResponse {
    let title: String
    let status: String
    let text: String

    init(calling resource: Resource, as session: Session) async {
        title = resource.title
        do {
            let response = try await session.call(resource)
            status = "\(response.status)"
            let json = try? JSONValue(parsing: response.body)
            text = json?.jsonText(.indented) ?? "(\(response.body.count) bytes, not JSON)"
        } catch {
            let problem = error as? OAuthError
            status = problem?.status.map { "\($0)" } ?? "no response"
            text = problem?.description ?? "the tokens cannot be read or saved"
        }
    }
}
