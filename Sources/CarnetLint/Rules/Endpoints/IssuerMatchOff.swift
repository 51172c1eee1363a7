import CarnetDescriptors
import CarnetFoundation

struct IssuerMatchOff: SingleValueRule {
    let explanation = DiagnosticExplanation(
        code: "E020",
        name: "issuer-match-off",
        severity: .warning,
        summary: "Carnet does not compare the issuer in the metadata with the issuer in the descriptor.",
        rationale: """
            In a mix-up attack, the metadata of one server names the issuer of another. The comparison prevents that. \
            If the provider's metadata names other issuers, list them or write a template for them. Turn the comparison \
            off only if the issuers cannot be known. The ID token must still have the issuer that the metadata names.
            """,
        references: ["RFC 8414, section 3.3", "RFC 8414, section 6.2", "OpenID Connect Discovery 1.0, section 4.3"],
        bad: ["issuer_match: ⟦{ none: each region names itself }⟧\n"],
        good: [
            "issuer_match: { any_of: [https://id2.acme.example] }\n",
            "issuer_match: { template: 'https://id.acme.example/{tid}' }\n",
            "issuer_match: { template: 'https://id.acme.example/{tenantid}', claims: { tenantid: tid } }\n",
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        guard case .off(let reason) = context.descriptor.issuerMatch else { return [] }
        let message = "Carnet does not compare the issuer of the metadata: \(reason)"
        return [finding(message, in: context, at: context.places.issuerMatch.span)]
    }
}
