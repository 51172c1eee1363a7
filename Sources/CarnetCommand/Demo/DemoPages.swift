import Carnet
import CarnetWeb
import Mustache

/// The pages of the demonstration: readable without a script, and without a third party.
struct DemoPages: SignInPages {
    private let layout: MustacheTemplate
    private let templates: [String: MustacheTemplate]

    /// The one script lints a descriptor while it is typed. A profile's picture comes inside the page.
    let contentSecurityPolicy =
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
        + "base-uri 'none'; frame-ancestors 'none'"

    /// - Throws: The parser's error if a template of this program is wrong.
    init() throws {
        layout = try MustacheTemplate(string: DemoTemplates.layout)
        templates = try DemoTemplates.contents.mapValues { try MustacheTemplate(string: $0) }
    }

    private func page(_ title: String, _ template: String, _ values: [String: Any]) -> String {
        let content = templates[template]?.render(values) ?? ""
        return layout.render(["title": title, "content": content])
    }

    func home(
        query: String, accounts: [WebAccount], providers: [(provider: Provider, isSandboxed: Bool)], problems: [String]
    ) -> String {
        let rows: [[String: Any]] = providers.map { provider, isSandboxed in
            var row: [String: Any] = [
                "id": provider.id.rawValue, "name": provider.name, "sandboxed": isSandboxed,
            ]
            if let account = accounts.first(where: { $0.provider == provider.id }) {
                row["account"] = ["name": account.name ?? "somebody", "connection": account.connection]
            }
            return row
        }
        return page(
            "Sign in with any provider", "home",
            [
                "query": query, "providers": rows, "none": rows.isEmpty, "hasProblems": !problems.isEmpty,
                "problems": problems.joined(separator: "\n"),
            ])
    }

    func account(_ view: AccountView) -> String {
        let tabs: [[String: Any]] = AccountView.Tab.allCases.map { tab in
            ["tab": tab.rawValue, "label": tab.label, "current": tab == view.tab]
        }
        var values: [String: Any] = [
            "id": view.account.provider.rawValue, "connection": view.account.connection, "tabs": tabs,
            "provider": view.provider, "scopes": view.tokens.scopes.joined(separator: " "),
            "refreshable": view.tokens.refreshToken != nil,
            "isProfile": view.tab == .profile, "isResources": view.tab == .resources,
            "isToken": [.payload, .header].contains(view.tab), "part": view.tab.label, "resources": view.resourceRows,
            "noResources": view.resources.isEmpty, "wanted": view.wanted, "hasWanted": !view.wanted.isEmpty,
        ]
        values["claims"] = view.profile?.rows
        values["failure"] = view.profile?.failure
        values["picture"] = view.profile?.picture?.source
        if let rows = view.tokenRows {
            values["rows"] = rows
            values["json"] = view.tokenText
        } else {
            values["opaque"] = true
        }
        if let answer = view.answer {
            values["answer"] = ["title": answer.title, "status": answer.status, "text": answer.text]
        }
        return page("Hello, \(view.account.name ?? "stranger")", "account", values)
    }

    func flow(provider: ProviderID, name: String, steps: [FlowLog.Step], isSignedIn: Bool) -> String {
        let diagram = FlowDiagram(steps: steps)
        return page(
            "How the sign-in with \(name) went", "flow",
            [
                "id": provider.rawValue, "svg": diagram.svg, "steps": diagram.rows, "none": steps.isEmpty,
                "isSignedIn": isSignedIn,
            ])
    }

    func descriptor(text: String, findings: String, trial: String? = nil) -> String {
        var values: [String: Any] = ["text": text, "findings": findings]
        if let trial { values["trial"] = ["text": trial] }
        return page("Try a descriptor", "descriptor", values)
    }

    func failure(_ error: OAuthError, backTo path: String) -> String {
        page("That did not work", "failure", ["text": error.description, "back": path])
    }

    func notFound() -> String {
        page("There is no such page", "failure", ["text": "No provider is called that.", "back": "/"])
    }

    // MARK: Sign-in

    func choice(_ choice: SignInChoice) -> String {
        page("Sign in first", "choice", Self.values(choice.providers, choice.returnTo))
    }

    func problem(_ problem: SignInProblem, _ choice: SignInChoice) -> String {
        var values = Self.values(choice.providers.filter { $0.id == problem.provider }, problem.returnTo)
        values["advice"] = problem.advice
        values["reference"] = problem.id
        values["cause"] = problem.cause?.description
        values["flow"] = problem.provider.map { ["id": $0.rawValue] }
        return page(problem.title, "choice", values)
    }

    func signedOut(_ report: SignOutReport?, _ choice: SignInChoice) -> String {
        var values: [String: Any] = ["none": report == nil]
        values["departures"] = report?.departures.map { departure in
            [
                "name": departure.providerName, "id": departure.provider.rawValue,
                "sentences": departure.sentences.map { ["text": $0] },
                "failures": departure.failures.map { ["text": $0] },
            ]
        }
        values["reference"] = report?.id
        let staying = choice.session?.account()
        values["staying"] = staying.map { ["name": $0.name ?? "somebody", "id": $0.provider.rawValue] }
        return page(staying == nil ? "You are signed out" : "One account is signed out", "signedOut", values)
    }

    private static func values(_ choices: [SignInChoice.Choice], _ returnTo: ReturnTarget) -> [String: Any] {
        [
            "returnTo": returnTo.path,
            "providers": choices.map { ["action": $0.action, "name": $0.name, "id": $0.id.rawValue] },
        ]
    }

    static func escape(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
