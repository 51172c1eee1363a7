import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetWeb

extension DemoPages: SignInPages {
    func choice(_ choice: SignInChoice) -> String { page("Sign in first", content(choice.providers, choice)).text }

    func problem(_ problem: SignInProblem, _ choice: SignInChoice) -> String {
        page(problem.title, content(choice.providers.filter { $0.id == problem.provider }, choice, problem)).text
    }

    private func content(
        _ providers: [SignInChoice.Choice], _ choice: SignInChoice, _ problem: SignInProblem? = nil
    ) -> HTML {
        let cause = problem?.cause.map(String.init(describing:))
        let staying = problem.flatMap { _ in remainingAccount(choice) }
        let cards: [HTML] = providers.map { provider in
            """
            <li>
            <h2>\(provider.name)</h2>
            <form method="post" action="\(provider.action)">
            <input type="hidden" name="return_to" value="\(choice.returnTo)">
            <button class="brand brand-\(provider.id.rawValue)">Sign in with \(provider.name)</button>
            </form>
            </li>

            """
        }
        return """
            \(problem.map { "<p role=\"alert\">\($0.advice)</p>" })
            \(cause.map { "<details open><summary>Details</summary><pre>\($0)</pre></details>" })
            <ul class="cards">
            \(cards)\
            </ul>
            \(problem?.provider.map { "<p><a href=\"/flows/\($0.rawValue)\">Sign-in steps</a></p>" })
            \(staying)
            <p><a href="/">All providers</a></p>
            \(problem.map { reference($0.id) })

            """
    }

    func signedOut(_ report: SignOutReport?, _ choice: SignInChoice) -> String {
        let staying = remainingAccount(choice)
        let content: HTML = """
            \(if: report == nil, "<p>No account was signed out.</p>")
            \((report?.departures ?? []).map(card))\
            \(staying)
            <p><a href="/">All providers</a></p>
            \(report?.id.map(reference))

            """
        return page(staying == nil ? "You are signed out" : "One account is signed out", content).text
    }

    private func card(_ departure: SignOutReport.Departure) -> HTML {
        let id = departure.provider.rawValue
        return """
            <section class="card">
            <h2>\(departure.providerName)</h2>
            <ul>
            \(departure.sentences.map { "<li>\($0)</li>" })
            </ul>
            \(departure.failures.map { "<p role=\"alert\">\($0)</p>" })
            <form method="post" action="/sign-in/\(id)">
            <input type="hidden" name="return_to" value="/accounts/\(id)">
            <button class="brand brand-\(id)">Sign in with \(departure.providerName) again</button>
            </form>
            </section>

            """
    }

    /// The account that is still signed in.
    private func remainingAccount(_ choice: SignInChoice) -> HTML? {
        choice.session?.account().map { account in
            """
            <p>Still signed in: <a href="/accounts/\(account.provider.rawValue)">\(account.name ?? "somebody")</a></p>
            """
        }
    }

    private func reference(_ id: String) -> HTML { "<p><small>Reference: \(id)</small></p>" }
}
