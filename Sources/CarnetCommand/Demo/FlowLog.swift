import Carnet
import Synchronization

/// The exchanges of the latest sign-in with each provider, without their secrets. The demonstration is for one person
/// at one machine: what two browsers do at once is mixed.
final class FlowLog: Sendable {
    struct Step: Sendable {
        enum Party: Int, Sendable { case browser, app, server, resource }

        let title: String
        let from: Party
        let to: Party
        /// The key of the descriptor that shapes it.
        let key: String
        let request: String
        var response: String?
    }

    private static let limit = 40
    private let steps = Mutex<[ProviderID: [Step]]>([:])

    func steps(of provider: ProviderID) -> [Step] { steps.withLock { $0[provider] ?? [] } }

    func begin(_ provider: ProviderID) { steps.withLock { $0[provider] = [] } }

    func add(_ step: Step, _ provider: ProviderID) {
        steps.withLock { all in
            guard (all[provider]?.count ?? 0) < Self.limit else { return }
            all[provider, default: []].append(step)
        }
    }

    func answer(_ text: String, _ provider: ProviderID) {
        steps.withLock { all in
            guard let index = all[provider]?.lastIndex(where: { $0.response == nil && $0.from == .app }) else { return }
            all[provider]?[index].response = text
        }
    }

    func noteRedirect(to url: String, _ provider: ProviderID) {
        let shown = Self.withoutSecrets(url, hiding: ["state", "nonce", "code_challenge", "request"])
        add(
            Step(
                title: "Authorization request", from: .browser, to: .server, key: "authorization",
                request: "GET \(shown)"), provider)
    }

    /// Notes the callback of the sign-in that waits for one.
    func noteCallback(_ path: String) {
        let waiting = steps.withLock { all in
            all.first { entry in
                entry.value.contains { $0.key == "authorization" } && !entry.value.contains { $0.key == "callback" }
            }?.key
        }
        guard let waiting else { return }
        let shown = Self.withoutSecrets(path, hiding: nil)
        add(
            Step(title: "Callback", from: .server, to: .app, key: "callback", request: "GET \(shown)"), waiting)
    }

    /// - Parameter names: The parameters to hide; `nil` hides all but what says nothing.
    private static func withoutSecrets(_ url: String, hiding names: Set<String>?) -> String {
        let parts = url.split(separator: "?", maxSplits: 1)
        guard parts.count == 2, let pairs = PercentEncoding.decodeForm(String(parts[1])) else { return url }
        let shown = pairs.map { pair in
            let isHidden = names?.contains(pair.name) ?? !["iss", "error", "error_description"].contains(pair.name)
            return isHidden ? "\(pair.name)=[redacted]" : PercentEncoding.encode([pair])
        }
        return "\(parts[0])?" + shown.joined(separator: "&")
    }
}

/// Writes a client's exchanges into the log.
struct FlowObserver: ExchangeObserver {
    let provider: ProviderID
    let log: FlowLog

    func willSend(_ request: RedactedRequest, step: OAuthError.Step) {
        let headers = request.headers.map { "\($0.name): \($0.value)" }
        let text = (["\(request.method) \(request.url)"] + headers + ["", request.body]).joined(separator: "\n")
        let isResource = [.resource, .profile].contains(step)
        log.add(
            FlowLog.Step(
                title: step.rawValue.prefix(1).uppercased() + step.rawValue.dropFirst(), from: .app,
                to: isResource ? .resource : .server, key: Self.key(of: step), request: text), provider)
    }

    func didReceive(_ response: RedactedResponse, step: OAuthError.Step) {
        log.answer("\(response.status) \(response.contentType ?? "")\n\n\(response.body)", provider)
    }

    private static func key(of step: OAuthError.Step) -> String {
        switch step {
        case .discovery: "discovery"
        case .keys: "endpoints.jwks"
        case .tokenRequest: "token"
        case .refresh: "refresh"
        case .profile: "profile"
        case .resource: "resources"
        case .revocation: "revocation"
        case .introspection: "introspection"
        case .exchange: "exchange"
        case .connection: "connection"
        case .signOut, .logout: "logout"
        case .registration: "endpoints.registration"
        case .pushedAuthorization: "authorization.pushed"
        case .clientCredentials: "client_credentials"
        case .deviceAuthorization: "device"
        case .tokenExchange: "token_exchange"
        case .jwtBearer: "jwt_bearer"
        case .configuration, .authorization, .callback, .idToken, .storage: "authorization"
        }
    }
}
