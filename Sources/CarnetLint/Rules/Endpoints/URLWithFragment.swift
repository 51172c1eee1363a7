import CarnetDescriptors

struct URLWithFragment: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "E004", name: "url-with-fragment", summary: "A URL has a fragment.",
        rationale: """
            Browsers and clients never send a fragment to the server, and parameters that are added to the URL would \
            become part of it. OAuth forbids fragments in endpoints.
            """,
        references: ["RFC 6749, section 3.1", "RFC 6749, section 3.2", "RFC 8414, section 2"],
        bad: [
            """
            endpoints:
              authorization: https://id.acme.example/⟦#/authorize⟧
              token: https://id.acme.example/token
            """,
            "issuer: https://id.acme.example\nendpoints: { token: '{issuer}/token⟦#x⟧' }",
        ],
        good: "endpoints: { authorization: 'https://id.acme.example/a', token: 'https://id.acme.example/t' }")

    func check(_ context: LintContext) -> [Diagnostic] {
        context.urls.compactMap { url in
            guard let fragment = url.fragment else { return nil }
            return finding(
                "\(url.name) has a fragment", in: context, at: context.span(of: fragment, in: url.node),
                help: "remove everything from the # on")
        }
    }
}
