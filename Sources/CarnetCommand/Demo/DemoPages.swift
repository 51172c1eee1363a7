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

    /// As many fit on a screen or two.
    private static let fewProviders = 24

    func home(
        query: String, accounts: [WebAccount], providers: [(provider: Provider, isSandboxed: Bool)], problems: [String]
    ) -> String {
        let sorted = providers.sorted { $0.provider.name.lowercased() < $1.provider.name.lowercased() }
        var initials: [[String: Any]] = []
        let rows: [[String: Any]] = sorted.map { provider, isSandboxed in
            var row: [String: Any] = [
                "id": provider.id.rawValue, "name": provider.name, "sandboxed": isSandboxed,
            ]
            let own = accounts.filter { $0.provider == provider.id }
            let letter = provider.name.first.map { $0.isLetter ? $0.uppercased() : "#" } ?? "#"
            if initials.last?["letter"] as? String != letter {
                row["anchor"] = "initial-\(initials.count)"
                initials.append(["letter": letter, "anchor": "initial-\(initials.count)"])
            }
            row["isSignedIn"] = !own.isEmpty
            row["accounts"] = own.map { account -> [String: Any] in
                ["who": account.name ?? "somebody", "connection": account.connection, "other": account != own.first]
            }
            return row
        }
        return page(
            "Sign in with any provider", "home",
            [
                "query": query, "providers": rows, "none": rows.isEmpty, "hasProblems": !problems.isEmpty,
                "initials": initials, "hasInitials": rows.count > Self.fewProviders,
                "problems": problems.joined(separator: "\n"),
            ])
    }

    func account(_ view: AccountView) -> String {
        let account = view.visit.account
        let tabs: [[String: Any]] = AccountView.Tab.allCases.map { tab in
            ["tab": tab.rawValue, "label": tab.label, "current": tab == view.tab]
        }
        var values: [String: Any] = [
            "id": account.provider.rawValue, "connection": account.connection, "other": view.visit.isOther,
            "tabs": tabs,
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
        if let response = view.response {
            values["response"] = ["title": response.title, "status": response.status, "text": response.text]
        }
        return page("Hello, \(account.name ?? "stranger")", "account", values)
    }

    func flow(provider: ProviderID, name: String, steps: [FlowLog.Step], isSignedIn: Bool) -> String {
        let diagram = FlowDiagram(steps: steps)
        return page(
            "Sign-in steps with \(name)", "flow",
            [
                "id": provider.rawValue, "svg": diagram.svg, "steps": diagram.rows, "none": steps.isEmpty,
                "isSignedIn": isSignedIn,
            ])
    }

    func descriptor(
        _ report: DescriptorReport, trial: (steps: [DescriptorReport.Step], result: String)? = nil
    ) -> String {
        var values: [String: Any] = ["text": report.text, "findings": findings(report)]
        if let trial {
            let steps = trial.steps.map { step in
                var row = ["title": step.title, "outcome": step.outcome]
                row["reason"] = step.reason
                return row
            }
            values["trial"] = ["steps": steps, "result": trial.result]
        }
        return page("Try a descriptor", "descriptor", values)
    }

    /// What the linter says, as the page of descriptors has it.
    func findings(_ report: DescriptorReport) -> String {
        let rows = report.findings.map { finding -> [String: Any] in
            let diagnostic = finding.diagnostic
            var row: [String: Any] = [
                "severity": diagnostic.severity.rawValue, "line": diagnostic.span.start.line,
                "message": diagnostic.message, "code": diagnostic.code,
            ]
            row["help"] = diagnostic.help
            row["fix"] = diagnostic.fix?.summary
            row["excerpt"] = finding.excerpt.map { ["before": $0.before, "mark": $0.mark, "after": $0.after] }
            return row
        }
        var values: [String: Any] = ["summary": report.summary, "findings": rows]
        if report.fixableCount > 0 { values["fixable"] = ["count": report.fixableCount] }
        return templates["findings"]?.render(values) ?? ""
    }

    func notFound() -> String { page("Page not found", "notFound", [:]) }

    // MARK: Sign-in

    func choice(_ choice: SignInChoice) -> String {
        page("Sign in first", "choice", Self.values(choice.providers, choice.returnTo))
    }

    func problem(_ problem: SignInProblem, _ choice: SignInChoice) -> String {
        var values = Self.values(choice.providers.filter { $0.id == problem.provider }, choice.returnTo)
        values["advice"] = problem.advice
        values["reference"] = problem.id
        values["cause"] = problem.cause.map(String.init(describing:))
        values["flow"] = problem.provider.map { ["id": $0.rawValue] }
        values["staying"] = Self.staying(choice)
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
        let staying = Self.staying(choice)
        values["staying"] = staying
        return page(staying == nil ? "You are signed out" : "One account is signed out", "signedOut", values)
    }

    /// The signed-in accounts.
    private static func staying(_ choice: SignInChoice) -> [String: Any]? {
        choice.session?.account().map { ["name": $0.name ?? "somebody", "id": $0.provider.rawValue] }
    }

    private static func values(_ choices: [SignInChoice.Choice], _ returnTo: String) -> [String: Any] {
        [
            "returnTo": returnTo,
            "providers": choices.map { ["action": $0.action, "name": $0.name, "id": $0.id.rawValue] },
        ]
    }
}
