import CarnetDescriptors
import CarnetFoundation

struct InsecureRedirect: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "C013", name: "insecure-redirect", summary: "A redirect URI uses http on a host that is not this machine.",
        rationale: """
            The provider sends the code to this URI. Over http, everyone on the path can read it. Only loopback hosts \
            need no TLS.
            """,
        references: ["RFC 9700, section 2.6", "RFC 8252, section 7.3"],
        bad: ["redirects: [⟦http⟧://app.example/callback]", "redirects: ['⟦http⟧://{host}/callback']"],
        good: "redirects: ['http://127.0.0.1:{port}/callback', 'https://{host}/callback']")

    func check(_ context: LintContext) -> [Diagnostic] {
        context.redirects.compactMap { redirect in
            guard let scheme = redirect.scheme, String(scheme).lowercased() == "http",
                !HostName(redirect.host).needsNoTLS
            else { return nil }
            return finding(
                "the redirect URI is not https", in: context, at: context.span(of: scheme, in: redirect.node),
                help: "http is only allowed on loopback hosts, e.g. http://127.0.0.1:{port}/callback")
        }
    }
}
