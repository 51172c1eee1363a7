import CarnetDescriptors
import CarnetFoundation

struct ClaimSourceBeyondItsRights: LintRule {
    let explanation = DiagnosticExplanation(
        "T011", name: "claim-source-beyond-its-rights",
        summary: "A claim source provides a claim that only the provider may set, or the same source occurs twice.",
        rationale: """
            Signed claims of another issuer may add to a profile, but never identify the user. The subject, the \
            issuer and the claims of a token are the provider's own, and Carnet takes none of them from a source. If \
            two sources have the same issuer, Carnet uses only the first.
            """,
        references: ["OpenID Connect Core 1.0, section 5.6.2"],
        bad: """
            profile:
              sources:
                - { issuer: https://bank.example, jwks: https://bank.example/keys, claims: [credit_score, ⟦sub⟧] }

            profile:
              sources:
                - { issuer: https://bank.example, jwks: https://bank.example/keys, claims: [credit_score] }
                - { issuer: ⟦https://bank.example⟧, jwks: https://bank.example/more, claims: [address] }
            """,
        good: """
            profile:
              claims: { score: /credit_score }
              sources:
                - { issuer: https://bank.example, jwks: https://bank.example/keys, claims: [credit_score] }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        var issuers = Set<String>()
        return context.descriptor.profile.sources.enumerated().flatMap { index, source in
            let place = context.places.profile.sources[index]
            var found = place.claims.elements
                .filter { ClaimSourceRules.reservedClaims.contains($0.scalar?.text ?? "") }
                .map { finding("a source cannot provide \"\($0.scalar?.text ?? "")\"", in: context, at: $0.span) }
            if !issuers.insert(source.issuer).inserted {
                found += findings(
                    "\(source.issuer) is already a source", in: context, at: place.issuer.span,
                    help: "put the claims into one list")
            }
            return found
        }
    }
}
