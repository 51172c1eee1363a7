import CarnetDescriptors
import CarnetFoundation

struct ScopeNotInCatalog: LintRule {
    let explanation = DiagnosticExplanation(
        code: "S004",
        name: "scope-not-in-catalog",
        severity: .warning,
        summary: "The descriptor requests or implies a scope that its own catalogue does not contain.",
        rationale: """
            A catalogue lists the scopes that the provider has. A scope outside it is usually misspelled. The \
            provider then returns 'invalid_scope' or grants nothing for it.
            """,
        references: ["RFC 6749, section 4.1.2.1"],
        bad: [
            "scopes: { default: [openid, ⟦emial⟧], catalog: [openid, email] }\n",
            "scopes: { catalog: [{ id: write, implies: [⟦raed⟧] }, read] }\n",
        ],
        good: ["scopes: { default: [openid, email] }\n", "scopes: { default: [email], catalog: [openid, email] }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let catalog = context.descriptor.scopes.catalog.map(\.id)
        let known = Set(catalog)
        guard !catalog.isEmpty else { return [] }
        var missing: [ScopeUse] = []
        var found: [Diagnostic] = []
        for use in context.scopeUses
        where (use.place == .requested || use.place == .implied) && !known.contains(use.scope) {
            guard let nearest = context.nearest(to: use.scope, in: catalog) else {
                missing.append(use)
                continue
            }
            found.append(
                finding(
                    "the scope \"\(use.scope)\" is not in the catalogue", in: context, at: use.node.span,
                    help: "did you mean \"\(nearest)\"?"))
        }
        // A catalogue with gaps is one mistake.
        guard let first = missing.first else { return found }
        let others = Set(missing.map(\.scope)).subtracting([first.scope]).count
        let more = others == 0 ? "" : ", nor are \(others) more"
        return found + [
            finding(
                "the scope \"\(first.scope)\" is not in the catalogue\(more)", in: context, at: first.node.span,
                help: "add \(others == 0 ? "it" : "them") to scopes.catalog",
                related: missing.dropFirst().prefix(5).map { context.related("\"\($0.scope)\"", at: $0.node.span) })
        ]
    }
}
