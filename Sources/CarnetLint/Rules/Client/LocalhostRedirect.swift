import CarnetDescriptors

struct LocalhostRedirect: LintRule {
    let explanation = RuleExplanation(
        code: "C015",
        name: "localhost-redirect",
        severity: .warning,
        summary: "A redirect URI names the loopback host 'localhost' instead of its address.",
        rationale: """
            'localhost' may resolve to another address than the one that is listened on, and firewalls treat it differently. \
            The literal address has neither problem. Where a provider's console accepts nothing else, suppress the finding.
            """,
        fix: .unsafe,
        references: ["RFC 8252, section 7.3", "RFC 8252, section 8.3"],
        bad: ["redirects: ['http://⟦localhost⟧:{port}/callback']\n"],
        good: ["redirects: ['http://127.0.0.1:{port}/callback']\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        RedirectURI.all(in: context).compactMap { redirect in
            guard redirect.isWeb, redirect.host.lowercased() == "localhost" else { return nil }
            let span = context.span(of: redirect.host, in: redirect.node)
            return finding(
                "the redirect URI uses the name localhost",
                in: context,
                at: span,
                help: "use 127.0.0.1, if the provider accepts it",
                fix: Fix(
                    summary: "use 127.0.0.1",
                    applicability: .unsafe,
                    edits: [Fix.Edit(span: span, replacement: "127.0.0.1")]
                )
            )
        }
    }
}
