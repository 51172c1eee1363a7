import CarnetDescriptors

struct QueryInIssuer: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "E006", name: "query-in-issuer", summary: "The issuer has a query.",
        rationale: """
            An issuer identifier is a URL without query and fragment. Carnet builds the URL of the metadata document \
            from it, and compares it byte by byte with the 'iss' of ID tokens and authorization responses.
            """,
        references: ["RFC 8414, section 2", "OpenID Connect Discovery 1.0, section 3"],
        bad: "issuer: https://id.acme.example/⟦?tenant=x⟧",
        good: "issuer: https://id.acme.example/x")

    func check(_ context: LintContext) -> [Diagnostic] {
        context.urls.filter { $0.kind == .issuer }.compactMap { url in
            guard let query = url.query else { return nil }
            let start = url.source.index(before: query.startIndex)
            return finding(
                "the issuer has a query", in: context,
                at: context.span(of: url.source[start..<query.endIndex], in: url.node),
                help:
                    "use the exact 'issuer' of the provider's metadata document; name a document elsewhere in 'discovery_url'"
            )
        }
    }
}
