import CarnetDescriptors
import CarnetFoundation

struct SelfImplication: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "S005", name: "self-implication", severity: .warning,
        summary: "A scope implies itself, directly or through others.",
        rationale: """
            'implies' lists the other scopes that are granted with this one, so the scope itself has no effect there. \
            Usually it should be another scope. Two scopes that imply each other are fine if they have one title: some \
            providers have two names for one scope. With two titles, a user of one seems to have granted both.
            """,
        bad: [
            "scopes: { catalog: [{ id: write, implies: [⟦write⟧] }] }",
            "scopes: { catalog: [{ id: read, title: Read, implies: [write] }, { id: write, title: Write, implies: [⟦read⟧] }] }",
        ],
        good: [
            "scopes: { catalog: [{ id: write, implies: [read] }, read] }",
            "scopes: { catalog: [{ id: email, implies: [mail] }, { id: mail, implies: [email] }] }",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        let implied = context.scopeUses.filter { $0.place == .implied }
        // Of very many only the first are followed.
        let (followed, catalog) = (implied.prefix(128), context.descriptor.scopes.catalog)
        return implied.enumerated().compactMap { index, use in
            if use.scope == use.impliedBy {
                return finding("the scope \"\(use.scope)\" implies itself", in: context, at: use.node.span)
            }
            // Each circle has a step back to an earlier scope.
            guard index < followed.count, let first = catalog.firstIndex(where: { $0.id == use.scope }),
                let last = catalog[first...].first(where: { $0.id == use.impliedBy }),
                let title = catalog[first].title, let other = last.title, title != other
            else { return nil }
            var (reached, next) = ([use.scope], 0)
            while next < reached.count {
                let further = followed.filter { $0.impliedBy == reached[next] }.map(\.scope)
                reached += further.filter { !reached.containsBytes(of: $0) }
                next += 1
            }
            guard reached.containsBytes(of: last.id) else { return nil }
            return finding(
                "\"\(use.scope)\" and \"\(last.id)\" imply each other", in: context, at: use.node.span,
                help: "remove the wrong direction; if both are names of one scope, give them one title")
        }
    }
}
