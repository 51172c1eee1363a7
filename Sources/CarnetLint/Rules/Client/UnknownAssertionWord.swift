import CarnetDescriptors

struct UnknownAssertionWord: LintRule {
    let explanation = DiagnosticExplanation(
        "C043", name: "unknown-assertion-audience", severity: .warning,
        summary: "The audience of the client assertion is neither a URI nor a keyword.",
        rationale: """
            The audience is the issuer or the token endpoint, for which there are the keywords 'issuer' and \
            'token_endpoint', or another URI that the provider documents. Carnet sends any other value unchanged, so \
            the server would reject a misspelled keyword.
            """,
        references: ["RFC 7523, section 3", "RFC 7519, section 4.1.3"],
        bad: [
            "client: { authentication: [private_key_jwt], assertion: { audience: ⟦token_endpiont⟧ } }",
            "jwt_bearer: { assertion: { audience: ⟦isuer⟧ } }",
        ],
        good: [
            "client: { authentication: [private_key_jwt], assertion: { audience: token_endpoint } }",
            "client: { authentication: [private_key_jwt], assertion: { audience: 'https://api.acme.example' } }",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        let words = ["issuer", "token_endpoint"]
        return context.assertions.compactMap { section in
            guard let audience = section.rules.audience?.source, !words.contains(audience),
                !audience.contains(":"), !audience.contains("{")
            else { return nil }
            let nearest = context.nearest(to: audience, in: words)
            return finding(
                "\"\(audience)\" is not a URI", in: context, at: section.place.audience.span,
                help: nearest.map { "did you mean \($0)?" } ?? "write issuer, token_endpoint, or a URI")
        }
    }
}
