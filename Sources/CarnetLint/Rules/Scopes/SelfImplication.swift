import CarnetDescriptors

struct SelfImplication: SingleValueRule {
    let explanation = DiagnosticExplanation(
        code: "S005",
        name: "self-implication",
        severity: .warning,
        summary: "A scope implies itself.",
        rationale: """
            'implies' lists the other scopes that are granted with this one, so the scope itself has no effect there. \
            Usually it should be another scope. Two scopes that imply each other are fine: some providers have two \
            names for one scope.
            """,
        bad: ["scopes: { catalog: [{ id: write, implies: [⟦write⟧] }] }\n"],
        good: [
            "scopes: { catalog: [{ id: write, implies: [read] }, read] }\n",
            "scopes: { catalog: [{ id: email, implies: [mail] }, { id: mail, implies: [email] }] }\n",
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        context.places.scopes.catalog.all.flatMap { entry -> [Diagnostic] in
            guard let id = entry.id.text else { return [] }
            return entry.implies.elements.filter { $0.scalar?.text == id }.map { node in
                finding("the scope \"\(id)\" implies itself", in: context, at: node.span)
            }
        }
    }
}
