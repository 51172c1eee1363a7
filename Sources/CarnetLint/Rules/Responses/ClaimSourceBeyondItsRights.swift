import CarnetDescriptors

struct ClaimSourceBeyondItsRights: LintRule {
    let explanation = RuleExplanation(
        code: "T011",
        name: "claim-source-beyond-its-rights",
        summary: "A source of claims is to give a claim that only the provider can give, or is named twice.",
        rationale: """
            Somebody else's signed claims may add to a profile, and never say who the user is: the subject, the issuer and \
            what belongs to a token are the provider's own. Carnet takes none of them from a source. Of two sources with one \
            issuer only the first would be asked.
            """,
        references: ["OpenID Connect Core 1.0, section 5.6.2"],
        bad: [
            """
            profile:
              sources:
                - { issuer: https://bank.example, jwks: https://bank.example/keys, claims: [credit_score, ⟦sub⟧] }

            """,
            """
            profile:
              sources:
                - { issuer: https://bank.example, jwks: https://bank.example/keys, claims: [credit_score] }
                - { issuer: ⟦https://bank.example⟧, jwks: https://bank.example/more, claims: [address] }

            """,
        ],
        good: [
            """
            profile:
              claims: { score: /credit_score }
              sources:
                - { issuer: https://bank.example, jwks: https://bank.example/keys, claims: [credit_score] }

            """
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        var issuers = Set<String>()
        return context.descriptor.profile.sources.enumerated().flatMap { index, source in
            let place = context.places.profile.sources[index]
            var found = place.claims.elements
                .filter { ClaimSourceRules.reservedClaims.contains($0.scalar?.text ?? "") }
                .map { finding("a source cannot give \"\($0.scalar?.text ?? "")\"", in: context, at: $0.span) }
            if !issuers.insert(source.issuer).inserted {
                found.append(
                    finding(
                        "\(source.issuer) is a source already", in: context,
                        at: place.issuer.span, help: "put the claims into one list"))
            }
            return found
        }
    }
}
