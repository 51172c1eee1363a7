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
        return context.scopeUses.compactMap { use in
            guard use.place == .requested || use.place == .implied, !known.contains(use.scope) else { return nil }
            let nearest = context.nearest(to: use.scope, in: catalog)
            return finding(
                "the scope \"\(use.scope)\" is not in the catalogue",
                in: context,
                at: use.node.span,
                help: nearest.map { "did you mean \"\($0)\"?" } ?? "add it to scopes.catalog"
            )
        }
    }
}
