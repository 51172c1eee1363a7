import CarnetDescriptors

struct SelfImplication: SingleValueRule {
    let explanation = RuleExplanation(
        code: "S005",
        name: "self-implication",
        severity: .warning,
        summary: "A scope implies itself.",
        rationale: """
            'implies' names the other scopes that are granted with this one. Itself means nothing; most often another \
            scope was meant. Two scopes that imply each other are two names of one thing, which some providers have.
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
