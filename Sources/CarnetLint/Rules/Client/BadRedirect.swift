import CarnetDescriptors

struct BadRedirect: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "C016", name: "bad-redirect", summary: "A redirect URI has a fragment or no scheme.",
        rationale: """
            A redirect URI is an absolute URI without a fragment. The provider adds the response parameters at the \
            end of the URI, where they would become a part of the fragment.
            """,
        references: ["RFC 6749, section 3.1.2"],
        bad: ["redirects: ['https://app.example/⟦#/callback⟧']", "redirects: [⟦/callback⟧]"],
        good: "redirects: ['https://{host}/callback', '{bundle_id}:/callback']")

    func check(_ context: LintContext) -> [Diagnostic] {
        context.redirects.compactMap { redirect in
            if redirect.scheme?.isEmpty ?? true {
                let help = "write the complete URI, e.g. https://{host}/callback"
                return finding("the redirect URI has no scheme", in: context, at: redirect.node.span, help: help)
            }
            guard let fragment = redirect.source.utf8.firstIndex(of: UInt8(ascii: "#")) else { return nil }
            let span = context.span(of: redirect.source[fragment...], in: redirect.node)
            return finding(
                "the redirect URI has a fragment", in: context, at: span, help: "remove everything from the # on")
        }
    }
}
