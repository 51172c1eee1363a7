import CarnetDescriptors

struct CircularImplication: LintRule {
    let explanation = RuleExplanation(
        code: "S005",
        name: "circular-implication",
        severity: .warning,
        summary: "A scope implies itself, directly or through others.",
        rationale: """
            'implies' says that whoever was granted the larger scope also has the smaller. Around a circle all scopes would \
            be the same, so that granting the smallest opens everything.
            """,
        bad: [
            "scopes: { catalog: [{ id: write, implies: [⟦write⟧] }] }\n",
            "scopes: { catalog: [{ id: write, implies: [⟦read⟧] }, { id: read, implies: [⟦write⟧] }] }\n",
        ],
        good: ["scopes: { catalog: [{ id: admin, implies: [write] }, { id: write, implies: [read] }, read] }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let catalog = context.descriptor.scopes.catalog
        let implied = Dictionary(catalog.map { ($0.id, $0.implies) }) { first, _ in first }
        var found: [Diagnostic] = []
        for (index, entry) in catalog.enumerated() {
            for (position, scope) in entry.implies.enumerated() where Self.reaches(entry.id, from: scope, implied) {
                found.append(
                    finding(
                        scope == entry.id
                            ? "the scope \"\(scope)\" implies itself"
                            : "\"\(entry.id)\" implies \"\(scope)\", which implies \"\(entry.id)\" again",
                        in: context,
                        at: context.span("scopes", "catalog", String(index), "implies", String(position))
                    )
                )
            }
        }
        return found
    }

    private static func reaches(_ goal: String, from start: String, _ implied: [String: [String]]) -> Bool {
        var seen = Set<String>()
        var open = [start]
        while let scope = open.popLast() {
            if scope == goal { return true }
            if seen.insert(scope).inserted { open += implied[scope] ?? [] }
        }
        return false
    }
}
