import CarnetDescriptors

struct IssuerMatchOff: SingleValueRule {
    let explanation = RuleExplanation(
        code: "E020",
        name: "issuer-match-off",
        severity: .warning,
        summary: "The issuer of the metadata is not compared with the descriptor's.",
        rationale: """
            The comparison is what stops the metadata of one server from speaking for another, which a mix-up attack needs. \
            Where the metadata names other issuers, a template or a list of them says which; it can be off only where \
            nobody can know them. The ID token must still be of the issuer that the metadata names.
            """,
        references: ["RFC 8414, section 3.3", "RFC 8414, section 6.2", "OpenID Connect Discovery 1.0, section 4.3"],
        bad: ["issuer_match: ⟦{ off: each region names itself }⟧\n"],
        good: [
            "issuer_match: { any_of: [https://id2.acme.example] }\n",
            "issuer_match: { template: 'https://id.acme.example/{tid}' }\n",
            "issuer_match: { template: 'https://id.acme.example/{tenantid}', claims: { tenantid: tid } }\n",
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        guard case .off(let reason) = context.descriptor.issuerMatch else { return [] }
        let message = "the issuer of the metadata is not compared: \(reason)"
        return [finding(message, in: context, at: context.places.issuerMatch.span)]
    }
}
