import Carnet
import CarnetWeb
import Mustache

/// The pages of the demonstration: no script, no third party.
struct DemoPages: SignInPages {
    private let layout: MustacheTemplate
    private let templates: [String: MustacheTemplate]

    let contentSecurityPolicy = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"

    /// - Throws: The parser's error if a template of this program is wrong.
    init() throws {
        layout = try MustacheTemplate(string: DemoTemplates.layout)
        templates = try DemoTemplates.contents.mapValues { try MustacheTemplate(string: $0) }
    }

    private func page(_ title: String, _ template: String, _ values: [String: Any]) -> String {
        let content = templates[template]?.render(values) ?? ""
        return layout.render(["title": title, "content": content])
    }

    func home(query: String, accounts: [WebAccount], providers: [(provider: Provider, isSandboxed: Bool)]) -> String {
        let rows: [[String: Any]] = providers.map { provider, isSandboxed in
            [
                "id": provider.id.rawValue, "name": provider.name, "sandboxed": isSandboxed,
                "scopes": provider.scopes.defaults.joined(separator: " "),
            ]
        }
        return page(
            "Sign in with any provider", "home",
            [
                "query": query, "providers": rows, "none": rows.isEmpty, "hasAccounts": !accounts.isEmpty,
                "accounts": accounts.map { ["provider": $0.provider.rawValue, "name": $0.name ?? "somebody"] },
            ])
    }

    func account(_ view: AccountView) -> String {
        let tabs: [[String: Any]] = AccountView.Tab.allCases.map { tab in
            ["tab": tab.rawValue, "label": tab.label, "current": tab == view.tab]
        }
        var values: [String: Any] = [
            "id": view.account.provider.rawValue, "connection": view.account.connection, "tabs": tabs,
            "scopes": view.tokens.scopes.joined(separator: " "), "refreshable": view.tokens.refreshToken != nil,
            "isProfile": view.tab == .profile, "isResources": view.tab == .resources,
            "isToken": [.payload, .header].contains(view.tab), "resources": view.resourceRows,
            "wanted": view.wanted, "hasWanted": !view.wanted.isEmpty,
        ]
        values["claims"] = view.profile?.rows
        values["failure"] = view.profile?.failure
        if let rows = view.tokenRows { values["rows"] = rows } else { values["opaque"] = true }
        if let answer = view.answer {
            values["answer"] = ["title": answer.title, "status": answer.status, "text": answer.text]
        }
        return page("Hello, \(view.account.name ?? "stranger") at \(view.provider)", "account", values)
    }

    func flow(provider: ProviderID, name: String, steps: [FlowLog.Step]) -> String {
        let diagram = FlowDiagram(steps: steps)
        return page(
            "How the sign-in with \(name) went", "flow",
            ["id": provider.rawValue, "svg": diagram.svg, "steps": diagram.rows, "none": steps.isEmpty])
    }

    func descriptor(text: String, report: DescriptorReport?) -> String {
        var values: [String: Any] = ["text": text]
        if let report {
            values["report"] = ["findings": report.findings, "trial": report.trial ?? "Not tried: there are errors."]
        }
        return page("Try a descriptor", "descriptor", values)
    }

    func failure(_ error: OAuthError, backTo path: String) -> String {
        page("That did not work", "failure", ["text": error.description, "back": path])
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
        return page(problem.title, "choice", values)
    }

    private static func values(_ choices: [SignInChoice.Choice], _ returnTo: ReturnTarget) -> [String: Any] {
        [
            "returnTo": returnTo.path,
            "providers": choices.map { ["action": $0.action, "name": $0.name] },
        ]
    }

    static func escape(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }

    static let sampleDescriptor = """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://id.acme.example
        scopes: { default: [openid, profile, email] }

        """

    static let style = """
        :root { color-scheme: light dark; --line: #767676; --link: light-dark(#0645ad, #8ab4f8); }
        * { box-sizing: border-box; }
        body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem; }
        a { color: var(--link); }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
        ul.cards { list-style: none; padding: 0; display: grid; gap: .75rem;
                   grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); }
        ul.cards li, details, .answer { border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; }
        button, input, textarea, select { font: inherit; padding: .5rem .75rem; max-width: 100%; }
        button { min-height: 2.75rem; cursor: pointer; }
        ul.cards button { width: 100%; }
        textarea { width: 100%; min-height: 16rem; font-family: ui-monospace, monospace; }
        nav.tabs { display: flex; flex-wrap: wrap; gap: .25rem 1rem; border-bottom: 1px solid var(--line); }
        nav.tabs a { padding: .5rem 0; }
        nav.tabs a[aria-current] { font-weight: 700; text-decoration: none; border-bottom: 3px solid; }
        dl { display: grid; grid-template-columns: minmax(6rem, auto) 1fr; gap: .25rem 1rem; }
        dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
        pre { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
        form { margin: .5rem 0; }
        .flow { width: 100%; height: auto; font-size: 13px; fill: currentColor; }
        .flow .life { stroke: var(--line); stroke-dasharray: 4 4; }
        .flow .arrow { stroke: currentColor; marker-end: url(#head); }
        """
}
