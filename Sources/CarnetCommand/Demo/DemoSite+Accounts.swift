import Carnet
import CarnetDescriptors
import CarnetHummingbird
import CarnetSandbox
import CarnetWeb
import Hummingbird

extension DemoSite {
    private func session(_ context: BasicSignInRequestContext) async throws -> (WebAccount, Session) {
        let provider = ProviderID(rawValue: context.parameters.get("provider") ?? "")
        guard let account = context.signIn.session?.account(of: provider) else {
            throw HTTPError(.notFound, message: "nobody is signed in there")
        }
        return (account, try await context.signIn.tokens(of: provider))
    }

    func account(
        _ request: Request, _ context: BasicSignInRequestContext, answer: ResourceAnswer?
    ) async throws -> Response {
        let (account, session) = try await session(context)
        let named = AccountView.Tab(rawValue: String(request.uri.queryParameters["tab"] ?? "")) ?? .profile
        let tab = answer == nil ? named : .resources
        let provider = web.clients[account.provider]?.provider
        var profile: ProfileView?
        if tab == .profile, let provider {
            profile = await ProfileView(of: session, over: setup.transport(to: provider))
        }
        let view = AccountView(
            account: account,
            provider: provider?.name ?? account.provider.rawValue,
            tab: tab,
            tokens: try await session.storedTokens(),
            profile: profile,
            resources: try await session.resources(try await map(for: account)),
            answer: answer
        )
        return html(pages.account(view))
    }

    /// The resources of `--map`; `nil` if the descriptor's own count.
    private func map(for account: WebAccount) async throws -> ResourceMap? {
        guard let client = web.clients[account.provider] else { return nil }
        guard case .own(let sandbox) = setup.stage, setup.isSandboxed(account.provider) else {
            return try await resources?.resources(of: client, nil)
        }
        return try await resources?.resources(of: client, sandbox)
    }

    func refresh(_ request: Request, _ context: BasicSignInRequestContext) async throws -> Response {
        _ = try await form(request)
        let (account, session) = try await session(context)
        do {
            try await session.refresh()
        } catch let error as OAuthError {
            return html(pages.failure(error, backTo: "/accounts/\(account.provider)"), .badGateway)
        }
        return .redirect(to: "/accounts/\(account.provider)?tab=payload", type: .normal)
    }

    func call(_ request: Request, _ context: BasicSignInRequestContext) async throws -> Response {
        _ = try await form(request)
        let (account, session) = try await session(context)
        let access = try await session.resources(try await map(for: account))
        guard let number = context.parameters.get("number").flatMap({ Int($0) }), access.indices.contains(number)
        else { throw HTTPError(.notFound) }
        let resource = access[number].resource
        do {
            let response = try await session.call(resource)
            let json = try? JSONValue(parsing: response.body)
            let text = json?.jsonText(.indented) ?? "(\(response.body.count) bytes that are not JSON)"
            let answer = ResourceAnswer(title: resource.title, status: "\(response.status)", text: text)
            return try await self.account(request, context, answer: answer)
        } catch let error as OAuthError {
            let status = error.status.map { "\($0)" } ?? "no answer"
            let answer = ResourceAnswer(title: resource.title, status: status, text: error.description)
            return try await self.account(request, context, answer: answer)
        }
    }
}

/// What a resource said, or why it did not.
struct ResourceAnswer {
    let title: String
    let status: String
    let text: String
}
