import CarnetDescriptors
import CarnetFoundation

struct UnreachableResource: LintRule {
    let explanation = DiagnosticExplanation(
        "S008", name: "unreachable-resource", severity: .warning,
        summary: "A resource or a profile request needs a scope that is neither requested nor in the catalogue.",
        rationale: """
            A resource is open when its scope is granted, and scopes are compared as whole, case-sensitive names. A \
            scope that the descriptor contains nowhere else is usually misspelled, and the resource stays closed. A request \
            of the profile with 'any_of' is then never sent.
            """,
        references: ["RFC 6749, section 3.3"],
        bad: """
            scopes: { default: [openid, photos] }
            resources:
              - { title: Photos, scope: ⟦Photos⟧, url: https://api.acme.example/photos }

            scopes: { default: [profile], catalog: [profile, teams] }
            profile:
              requests: [{ url: 'https://api.acme.example/teams', any_of: [⟦team⟧], claims: { groups: { each: /name } } }]
            """,
        good: """
            scopes: { default: [openid], catalog: [openid, { id: photos.all, implies: [photos] }, photos] }
            resources:
              - { title: Photos, scope: photos, url: https://api.acme.example/photos }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        guard context.scopeUses.contains(where: { $0.place == .resource }) else { return [] }
        // Several scopes in one element are a mistake (S001) that needs no second finding.
        let candidates = context.scopeUses.flatMap { use in
            use.place == .resource
                ? []
                : use.scope.holds(UInt8(ascii: " ")) ? use.scope.split(separator: " ").map(String.init) : [use.scope]
        }
        // A list of a few is quicker looked through than hashed.
        let known = candidates.count > 16 ? Set(candidates) : nil
        return context.scopeUses.compactMap { use in
            guard use.place == .resource, !(known?.contains(use.scope) ?? candidates.contains(use.scope))
            else { return nil }
            let nearest = context.nearest(to: use.scope, in: candidates)
            return finding(
                "the scope \"\(use.scope)\" is neither requested nor in the catalogue", in: context, at: use.node.span,
                help: nearest.map { "did you mean \"\($0)\"?" } ?? "add it to scopes.default or scopes.catalog")
        }
    }
}
