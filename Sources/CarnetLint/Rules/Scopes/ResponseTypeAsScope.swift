import CarnetDescriptors
import CarnetFoundation

struct ResponseTypeAsScope: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "S006", name: "response-type-as-scope", severity: .warning,
        summary: "The descriptor requests a response type as a scope.",
        rationale: """
            'id_token', 'token' and 'code' are response types. No provider has them as scopes. The scope 'openid' \
            requests an ID token, and 'offline_access' often requests a refresh token.
            """,
        references: ["OpenID Connect Core 1.0, section 3", "OpenID Connect Core 1.0, section 5.4"],
        bad: "scopes: { default: [⟦id_token⟧, read] }",
        good: "scopes: { default: [openid, profile] }")

    func check(_ context: LintContext) -> [Diagnostic] {
        lazy var catalog = Set(context.descriptor.scopes.catalog.map(\.id))
        return context.scopeUses.compactMap { use in
            guard use.place == .requested, ["id_token", "token", "code"].contains(use.scope),
                !catalog.contains(use.scope)
            else { return nil }
            return finding(
                "\"\(use.scope)\" is a response type, not a scope", in: context, at: use.node.span,
                help: use.scope == "id_token" ? "request the scope \"openid\"" : "remove it")
        }
    }
}
