import CarnetDescriptors

struct RepeatedScope: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "S003", name: "repeated-scope", severity: .warning, fix: .safe,
        summary: "A list of scopes contains a scope twice.",
        rationale: """
            The second entry has no effect. Usually it should be another scope. In the catalogue, the title and \
            implied scopes of the second entry are ignored.
            """,
        bad: [
            "scopes: { default: [openid, email, ⟦openid⟧] }",
            "scopes:\n  catalog:\n    - photos\n    - { id: ⟦photos⟧, title: See your photos }",
        ],
        good:
            "scopes: { default: [openid, email], offline: [offline_access], catalog: [openid, email, offline_access] }")

    func check(_ context: LintContext) -> [Diagnostic] {
        // Most files repeat none, and need no places.
        let isRepeated = [ScopeUse.Place.requested, .catalog].contains { place in
            context.scopeUses.compactMap { $0.place == place ? $0.scope : nil }.hasRepeats
        }
        guard isRepeated else { return [] }
        var found: [Diagnostic] = []
        let scopes = context.places.scopes
        let lists: [(elements: [YAMLNode], ids: [YAMLNode?])] =
            [scopes.defaults, scopes.required, scopes.offline].map { ($0.elements, $0.elements) }
            + [(scopes.catalog.elements, scopes.catalog.all.map { $0.id.node })]
        for (elements, ids) in lists {
            var first: [String: SourceSpan] = [:]
            for (index, node) in ids.enumerated() {
                guard let node, let scope = node.scalar?.text else { continue }
                guard let earlier = first[scope] else {
                    first[scope] = node.span
                    continue
                }
                found += findings(
                    "the scope \"\(scope)\" occurs twice", in: context, at: node.span,
                    related: [context.related("first named here", at: earlier)],
                    fix: elements[index].scalar == nil
                        ? nil : Removal.fix(ofElement: index, in: elements, text: context.text))
            }
        }
        return found
    }
}
