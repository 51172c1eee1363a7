import CarnetDescriptors

struct ResponseTypeAsScope: SingleValueRule {
    let explanation = RuleExplanation(
        code: "S006",
        name: "response-type-as-scope",
        severity: .warning,
        summary: "A response type is asked for as if it were a scope.",
        rationale: """
            'id_token', 'token' and 'code' say which answer comes back. As scopes they are unknown to every provider: an \
            ID token comes with the scope 'openid', a refresh token often with 'offline_access'.
            """,
        references: ["OpenID Connect Core 1.0, section 3", "OpenID Connect Core 1.0, section 5.4"],
        bad: ["scopes: { default: [⟦id_token⟧, profile] }\n"],
        good: ["scopes: { default: [openid, profile] }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        lazy var catalog = Set(context.descriptor.scopes.catalog.map(\.id))
        return context.scopeUses.compactMap { use in
            guard use.place == .requested, ["id_token", "token", "code"].contains(use.scope),
                !catalog.contains(use.scope)
            else { return nil }
            return finding(
                "\"\(use.scope)\" is a response type, not a scope",
                in: context,
                at: use.node.span,
                help: use.scope == "id_token" ? "ask for the scope \"openid\"" : "remove it"
            )
        }
    }
}
