import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetHummingbird
import CarnetProtocol
import CarnetSandbox
import CarnetWeb
import HTTPTypes
import Hummingbird

/// Leads browsers to the sandbox where it stands for a provider, and notes for each visitor what goes to and fro.
struct DemoFlows: RouterMiddleware {
    private static let cookie = "carnet-demo-visitor"

    let site: DemoSite

    func handle(
        _ request: Request,
        context: BasicSignInRequestContext,
        next: (Request, BasicSignInRequestContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        let startPrefix = site.web.paths.signIn + "/"
        let isCallback = path.hasPrefix(DemoSite.callbackPrefix)
        let isStart = request.method == .post && path.hasPrefix(startPrefix)
        // Pages that only show something add nothing to what is shown.
        guard isCallback || request.method == .post else { return try await next(request, context) }
        let known = Self.visitor(of: request)
        let visitor =
            known ?? SystemRandomSource().bytes(count: 16).map { String($0, radix: 16) }.joined(separator: ".")
        let turn = FlowTurn()
        let query = request.head.path.flatMap { $0.split(separator: "?", maxSplits: 1).dropFirst().first } ?? ""
        if isCallback {
            let shown = Self.shown(String(query)) { !["iss", "error", "error_description"].contains($0) }
            turn.add(
                "Callback", to: .app, key: "callback", "\(request.method) \(path)" + (query.isEmpty ? "" : "?\(shown)"))
        }
        if isStart { turn.add("Sign-in button", to: .app, key: "scopes", "POST \(path)") }
        var response = try await FlowLog.$turn.withValue(turn) { try await next(request, context) }
        turn.respond("\(response.status)", to: .browser)
        // A fragment, which some providers want, is for a browser alone: no server gets it.
        let leaving = response.headers[.location].flatMap { try? WebURL(String($0.prefix { $0 != "#" })) }
        if isStart, let leaving {
            let provider = ProviderID(rawValue: String(path.dropFirst(startPrefix.count)))
            let shown = Self.shown(leaving.query ?? "") {
                ["state", "nonce", "code_challenge", "request"].contains($0)
            }
            let page = leaving.text.prefix { $0 != "?" }
            turn.add("Authorization request", to: .server, key: "authorization", "GET \(page)?\(shown)")
            let name = site.web.clients[provider]?.provider.stateParameter ?? "state"
            let state = PercentEncoding.decodeForm(leaving.query ?? "")?.first { $0.name == name }?.value
            site.flow.begin(provider, state: state, turn.steps, for: visitor)
        } else if isCallback {
            let names = Set(["state"] + site.web.clients.all.map(\.provider.stateParameter))
            let state = PercentEncoding.decodeForm(String(query))?.first { names.contains($0.name) }?.value
            site.flow.callBack(turn.provider, state: state, turn.steps, for: visitor)
        } else if let provider = turn.provider {
            site.flow.add(turn.steps, to: provider, for: visitor)
        }
        if let leaving, site.setup.isSandboxed(leaving), let sandbox = site.sandbox,
            let page = response.headers[.location]
        {
            response.headers[.location] = try sandbox.sandboxURL(forPage: page)
        }
        // What is posted from another site may come without the cookie of a visitor who has one.
        if known == nil, !isCallback {
            response.headers.append(
                HTTPField(name: .setCookie, value: "\(Self.cookie)=\(visitor); Path=/; HttpOnly; SameSite=Lax"))
        }
        return response
    }

    /// The random name that a browser was given.
    static func visitor(of request: Request) -> String? {
        ReceivedCookies(request.head, namesBeginningWith: cookie)[cookie].flatMap {
            (16...64).contains($0.utf8.count) ? $0 : nil
        }
    }

    private static func shown(_ query: String, hiding isHidden: (String) -> Bool) -> String {
        (PercentEncoding.decodeForm(query) ?? []).map { pair in
            isHidden(pair.name) ? "\(pair.name)=[redacted]" : PercentEncoding.encode([pair])
        }.joined(separator: "&")
    }
}
