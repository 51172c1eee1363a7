import Carnet
import CarnetProtocol
import ConformanceProvider
import Testing

/// One module of the OpenID Foundation's conformance suite in one variant.
struct Module: Sendable, CustomTestStringConvertible {
    enum Plan: String, Sendable, CaseIterable {
        case basic = "Basic RP"
        case formPost = "Form Post RP"
        case config = "Config RP"
        case dynamic = "Dynamic RP"
        case comprehensive = "Comprehensive client test (not part of the certification)"
        case thirdParty = "3rd Party-Init RP"
        case rpInitiated = "RP-Initiated RP"
        case backChannel = "Back-Channel RP"
        case frontChannel = "Front-Channel RP"
        case refresh = "Refresh tokens (not part of the certification)"
        case security = "FAPI2SP RP"
        case signing = "FAPI2MS RP"
        case clientCredentials = "FAPI2SP RP Client Credentials Grant"
        case older = "Flows that only the older suite has"
    }

    enum Flow: Sendable {
        /// Signs in, reads the profile and calls the resource.
        case signIn
        case twoSignIns
        /// Signs in, refreshes the tokens, and reads the profile with the new ones.
        case refresh
        case clientCredentials
        /// Registers a client, and signs in with it.
        case registration
        /// As a browser with a web site.
        case site(SiteFlow)
    }

    enum Expectation: Sendable {
        case completes
        /// The client reports an error at this step, with one of these words, and sends nothing further.
        case stops(OAuthError.Step, [String])
        /// The same, or it completes: the suite accepts both.
        case mayStop
    }

    var plan: Plan
    var name: String
    var variant: [String]
    var setup = Setup()
    var deviation = Deviation()
    var expectation = Expectation.completes
    var flow = Flow.signIn
    /// Lines of the descriptor that the module needs, besides the issuer.
    var lines = ""
    var scopes = ["openid", "profile", "email"]
    /// The claims that the profile must have.
    var claims: [String] = []
    var details = false
    /// `max_age=0` with `prompt=none`.
    var isSilent = false

    var testDescription: String { "\(name) [\(variant.joined(separator: ", "))]" }
}

/// What happened when a module ran.
struct Run: Sendable {
    var error: OAuthError?
    /// What the driver itself found wrong.
    var problems: [String] = []
    var accounts = 0
    var exchanges: [Exchange] = []

    func count(_ endpoint: Exchange.Endpoint) -> Int { exchanges.count { $0.endpoint == endpoint } }
}

extension Module {
    /// Why the module fails; empty if it passes.
    func problems(of run: Run) -> [String] {
        let broken = run.exchanges.flatMap { exchange in exchange.violations.map { "\(exchange.endpoint): \($0)" } }
        let common = run.problems + broken
        switch expectation {
        case .completes: return common + problems(ofComplete: run)
        case .mayStop: return common + (run.error == nil ? problems(ofComplete: run) : [])
        case .stops(let step, let words): return common + problems(of: run, stoppedAt: step, words)
        }
    }

    private func problems(ofComplete run: Run) -> [String] {
        var problems: [String] = []
        if let error = run.error { problems.append("stops at the \(error.step.rawValue): \(error.message)") }
        if !isOfSite, !isOwnToken, run.accounts != 1 { problems.append("\(run.accounts) accounts are stored") }
        for endpoint in neededEndpoints where run.count(endpoint) == 0 {
            problems.append("\(endpoint.rawValue) was not called")
        }
        return problems
    }

    private var isOfSite: Bool { if case .site = flow { true } else { false } }
    private var isRefresh: Bool { if case .refresh = flow { true } else { false } }
    private var isOwnToken: Bool { if case .clientCredentials = flow { true } else { false } }

    private var neededEndpoints: [Exchange.Endpoint] {
        if isOwnToken { return [.token, .resource] }
        let login: [Exchange.Endpoint] =
            [.authorization, .token] + (setup.isOpenID ? [.userinfo] + (setup.signature == "HS256" ? [] : [.keys]) : [])
        let pushed: [Exchange.Endpoint] = setup.request.isPushed ? [.pushedAuthorization] : []
        return login + pushed + (setup.isFAPI ? [.resource] : []) + (setup.isDynamic ? [.registration] : [])
    }

    private func problems(of run: Run, stoppedAt step: OAuthError.Step, _ words: [String]) -> [String] {
        var problems: [String] = []
        if let error = run.error {
            if error.step != step { problems.append("stops at the \(error.step.rawValue): \(error.message)") }
            let text = "\(error.message) \(error.server?.code ?? "")".lowercased()
            let isReason = words.contains { text.contains($0) }
            if !isReason { problems.append("gives another reason: \(error.message)") }
        } else {
            problems.append("reports no error")
        }
        for endpoint in Self.endpoints(after: step) where run.count(endpoint) > 0 {
            problems.append("\(endpoint.rawValue) was called")
        }
        let kept = step == .profile || isRefresh ? 1 : 0
        if run.accounts != kept { problems.append("\(run.accounts) accounts are stored") }
        return problems
    }

    /// What no client may call after it has stopped.
    private static func endpoints(after step: OAuthError.Step) -> [Exchange.Endpoint] {
        switch step {
        case .discovery:
            [.registration, .pushedAuthorization, .authorization, .token, .userinfo, .resource]
        case .callback: [.token, .userinfo, .resource]
        case .idToken, .refresh: [.userinfo, .resource]
        default: [.resource]
        }
    }
}
