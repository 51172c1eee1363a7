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
        context.scopeUses.compactMap { use in
            guard use.scope == use.impliedBy else { return nil }
            return finding("the scope \"\(use.scope)\" implies itself", in: context, at: use.node.span)
        }
    }
}
