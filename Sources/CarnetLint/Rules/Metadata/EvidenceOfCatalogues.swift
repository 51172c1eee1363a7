import CarnetDescriptors

struct EvidenceOfCatalogues: SingleValueRule {
    let explanation = RuleExplanation(
        code: "M006",
        name: "evidence-of-catalogues",
        severity: .information,
        summary: "The facts were compared with catalogues of other libraries alone.",
        rationale: """
            Catalogues copy from each other and contradict each other. A descriptor whose author could not read the \
            provider's own documentation says so: `verified.how` begins with the word catalogues. Nothing is wrong with \
            that, and a reader should know.
            """,
        bad: ["verified: { date: 2026-11-21, how: ⟦\"catalogues: Nango, Auth.js\"⟧ }\n"],
        good: ["verified: { date: 2026-11-21, how: the provider's reference page }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        guard let how = context.descriptor.verified?.how, how.lowercased().hasPrefix("catalogues") else { return [] }
        return [
            finding(
                "no document of the provider's own was compared",
                in: context,
                at: context.places.verified.how.span,
                help: "compare the file with the provider's own documentation, and name that in verified.how"
            )
        ]
    }
}
