import CarnetDescriptors
import CarnetFoundation

struct EvidenceOfCatalogues: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "M006", name: "evidence-of-catalogues", severity: .information,
        summary: "The facts were compared only with catalogues of other libraries.",
        rationale: """
            Catalogues copy from each other and contradict each other. If an author could not read the provider's \
            own documentation, `verified.how` starts with the word 'catalogues'. This is allowed, but readers should \
            know that the facts are less certain.
            """,
        bad: "verified: { date: '2026-11-21', how: ⟦\"catalogues: Nango, Auth.js\"⟧ }",
        good: "verified: { date: '2026-11-21', how: the provider's reference page }")

    func check(_ context: LintContext) -> [Diagnostic] {
        guard let how = context.descriptor.verified?.how, how.lowercased().hasPrefix("catalogues") else { return [] }
        return findings(
            "the file was not compared with the provider's own documentation", in: context,
            at: context.places.verified.how.span,
            help: "compare the file with the provider's own documentation, and name the page in verified.how")
    }
}
