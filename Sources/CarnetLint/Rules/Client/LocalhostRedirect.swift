import CarnetDescriptors

struct LocalhostRedirect: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "C015", name: "localhost-redirect", severity: .warning, fix: .unsafe,
        summary: "The redirect URIs contain the loopback host 'localhost' but not its address.",
        rationale: """
            'localhost' can resolve to another address than the address of the app, and firewalls treat it \
            differently. The literal address has neither problem, and Carnet prefers it if both are accepted. If the \
            provider's console accepts only the name, suppress the finding.
            """,
        references: ["RFC 8252, section 7.3", "RFC 8252, section 8.3"],
        bad: "redirects: ['http://⟦localhost⟧:{port}/callback']",
        good: "redirects: ['http://127.0.0.1:{port}/callback', 'http://localhost:{port}/callback']")

    let isReminder = true

    func check(_ context: LintContext) -> [Diagnostic] {
        let redirects = context.redirects
        let hasAddress = redirects.contains { $0.host.utf8.starts(with: "127.".utf8) || $0.host == "[::1]" }
        guard !hasAddress else { return [] }
        return redirects.compactMap { redirect in
            guard redirect.isWeb, redirect.host.lowercased() == "localhost" else { return nil }
            let span = context.span(of: redirect.host, in: redirect.node)
            return finding(
                "the redirect URI uses the name localhost", in: context, at: span,
                help: "use 127.0.0.1, if the provider accepts it",
                fix: Fix(.unsafe, "use 127.0.0.1", at: span, with: "127.0.0.1"))
        }
    }
}
