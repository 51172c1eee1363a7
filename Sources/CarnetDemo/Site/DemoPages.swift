import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetWeb

/// The pages of the demonstration: readable without a script, and without a third party.
///
/// A part that may be missing or repeated ends with a line break, and a backslash follows its place in the page.
struct DemoPages: Sendable {
    /// The one script lints a descriptor while it is typed. A profile's picture comes inside the page.
    let contentSecurityPolicy =
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
        + "base-uri 'none'; frame-ancestors 'none'"

    func page(_ title: String, _ content: HTML) -> HTML {
        .page(
            title,
            head: """
                <link rel="stylesheet" href="/assets/style.css">
                <link rel="icon" href="/assets/icon.svg">
                """,
            header: """
                <header><a class="skip" href="#content">Skip to the content</a>
                <nav aria-label="Site">
                <a class="site" href="/"><img src="/assets/icon.svg" alt="">Carnet</a>
                <a href="/">Providers</a>
                <a href="/descriptor">Try a descriptor</a>
                </nav></header>

                """,
            "<span id=\"content\" tabindex=\"-1\"></span>\(content)")
    }

    func notFound() -> HTML {
        page(
            "Page not found",
            """
            <p>There is no page at this address.</p>
            <p><a href="/">All providers</a></p>

            """)
    }

    func flow(provider: ProviderID, name: String, steps: [FlowLog.Step], isSignedIn: Bool) -> HTML {
        let details: [HTML] = steps.enumerated().map { index, step in
            """
            <details>
            <summary>\(index + 1). \(step.title), controlled by <code>\(step.key)</code></summary>
            <h2 id="step-\(index + 1)">Request</h2>
            <pre>\(step.request)</pre>
            <h2>Response</h2>
            <pre>\(step.response ?? "(no response, or it is not known here)")</pre>
            </details>

            """
        }
        let none: HTML = "<p>This browser has not begun a sign-in with this provider since the program started.</p>"
        let diagram: HTML = """
            <div class="scroll" role="region" aria-label="Sequence diagram" tabindex="0">\
            \(SequenceDiagram(steps: steps.map(\.drawn)).svg)</div>
            """
        return page(
            "Sign-in steps with \(name)",
            """
            \(if: isSignedIn, "<p><a href=\"/accounts/\(provider.rawValue)\">Back to the account</a></p>")
            \(if: steps.isEmpty, none)
            \(if: !steps.isEmpty, diagram)
            \(details)
            """)
    }

    // MARK: - The first page

    /// As many fit on a screen or two.
    private static let fewProviders = 24

    func home(
        query: String, accounts: [WebAccount], providers: [(provider: Provider, isSandboxed: Bool)], problems: [String]
    ) -> HTML {
        let sorted = providers.sorted { $0.provider.name.lowercased() < $1.provider.name.lowercased() }
        var initials: [String] = []
        let cards = sorted.map { provider, isSandboxed in
            let letter = provider.name.first.map { $0.isLetter ? $0.uppercased() : "#" } ?? "#"
            let isFirst = initials.last != letter
            if isFirst { initials.append(letter) }
            return card(
                of: provider, isSandboxed: isSandboxed, accounts.filter { $0.provider == provider.id },
                initial: isFirst ? initials.count - 1 : nil)
        }
        return page(
            "Sign in with any provider",
            """
            \(if: !problems.isEmpty, alert(problems))\
            <p>This site runs on your computer and shows how a sign-in works: each request, the tokens, and what they open. \
            A sandbox simulates the providers, so you need no account. A provider with a client of yours is marked as real.</p>
            <form class="row" role="search" action="/">
            <label for="q">Find a provider</label>
            <input id="q" name="q" type="search" value="\(query)"> <button>Search</button>
            </form>
            \(if: providers.count > Self.fewProviders, index(of: initials))\
            <ul class="cards">
            \(cards)\
            </ul>
            \(if: providers.isEmpty, "<p role=\"status\">No provider has this name.</p>")

            """)
    }

    private func alert(_ problems: [String]) -> HTML {
        """
        <section role="alert" aria-labelledby="problems">
        <h2 id="problems">Files with errors. Their last valid versions stay in use.</h2>
        <pre>\(problems.joined(separator: "\n"))</pre>
        </section>

        """
    }

    private func index(of initials: [String]) -> HTML {
        """
        <nav class="initials" aria-label="Initials">
        \(initials.enumerated().map { "<a href=\"#initial-\($0)\">\($1)</a>\n" })\
        </nav>

        """
    }

    /// - Parameter initial: The number of the initial whose first provider it is.
    private func card(of provider: Provider, isSandboxed: Bool, _ accounts: [WebAccount], initial: Int?) -> HTML {
        let id = provider.id.rawValue
        let isSignedIn = !accounts.isEmpty
        let place: HTML = "<p class=\"faint\">Real provider</p>\n"
        let another: HTML = """
            <input type="hidden" name="another" value="1">
            <button>Add an account<span class="visually-hidden"> of \(id)</span></button>

            """
        let button: HTML = "<button class=\"brand brand-\(id)\">Sign in with \(provider.name)</button>"
        return """
            <li\(initial.map { " id=\"initial-\($0)\"" })>
            <h2>\(provider.name)</h2>
            \(provider.status.remark.map { "<p><strong>Real provider: \($0)</strong></p>\n" })\
            \(accounts.map { row(of: $0, isOther: $0 != accounts.first) })\
            \(if: !isSignedIn && !isSandboxed, place)\
            <form method="post" action="/sign-in/\(id)">
            <input type="hidden" name="return_to" value="/accounts/\(id)">
            \(if: isSignedIn, another)\
            \(if: !isSignedIn, button)
            </form>
            </li>

            """
    }

    private func row(of account: WebAccount, isOther: Bool) -> HTML {
        let (id, name) = (account.provider.rawValue, account.name ?? "somebody")
        return """
            <p>Signed in as <strong>\(name)</strong></p>
            <div class="row">
            <a class="button" href="/accounts/\(id)\(if: isOther, "?account=\(account.storeName)")">Open\
            <span class="visually-hidden"> \(name) of \(id)</span></a>
            <form method="post" action="/sign-out">
            <input type="hidden" name="connection" value="\(account.storeName)">
            <button>Sign out<span class="visually-hidden"> \(name) of \(id)</span></button>
            </form>
            </div>

            """
    }
}
