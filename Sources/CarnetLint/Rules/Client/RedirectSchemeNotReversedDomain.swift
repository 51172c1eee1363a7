import CarnetDescriptors

struct RedirectSchemeNotReversedDomain: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "C014", name: "redirect-scheme-not-reversed-domain", severity: .warning,
        summary: "A private-use scheme of a redirect URI is not a reversed domain name.",
        rationale: """
            Every app can claim any scheme. Another app is unlikely to claim a scheme that is based on your own \
            domain, such as 'com.example.app'. It may well claim 'myapp' or 'oauth'. With PKCE, that app cannot use the \
            code, but it can end the sign-in. If the provider prescribes the scheme, say so in a note.
            """,
        references: ["RFC 8252, section 7.1", "RFC 8252, section 8.4", "RFC 7595, section 3.8"],
        bad: ["redirects: ['⟦oauth⟧://callback']", "redirects: ['⟦fb{app_id}⟧://authorize']"],
        good: "redirects: ['{bundle_id}:/callback', 'com.example.app:/callback']")

    let isReminder = true

    func check(_ context: LintContext) -> [Diagnostic] {
        context.redirects.compactMap { redirect in
            guard let scheme = redirect.scheme, !isPlace(scheme), let remark = RedirectForm.remark(onScheme: scheme)
            else { return nil }
            return finding(
                remark, in: context, at: context.span(of: scheme, in: redirect.node),
                help: "use a form such as {bundle_id}:/callback")
        }
    }

    /// A place that is the whole scheme has to be filled with a text that has a dot.
    private func isPlace(_ scheme: Substring) -> Bool {
        scheme.hasPrefix("{") && scheme.firstIndex(of: "}") == scheme.index(before: scheme.endIndex)
    }
}
