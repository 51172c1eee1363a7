import CarnetDescriptors

struct AccountOfAnyProvider: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G003", name: "account-of-any-provider",
        summary: "A condition names a subject, group, claim or client without the provider that states it.",
        rationale: """
            Each provider gives its own meaning to subjects, groups and claims. With several providers in the file, an \
            account of another provider could have the same value: everybody can create a group of any name somewhere. An \
            e-mail address needs no provider, because it counts only if it is verified.
            """,
        references: ["OpenID Connect Core 1.0, section 5.7"],
        bad: [
            "providers: [acme, globex]\nroutes: [{ path: /admin/**, allow: { ⟦group⟧: ops } }]\n",
            "providers: [acme, globex]\nroutes: [{ allow: [{ provider: acme, group: ops }, { ⟦subject⟧: 42 }] }]\n",
        ],
        good: [
            "providers: [acme, globex]\nroutes: [{ path: /admin/**, allow: { provider: acme, group: ops } }]\n",
            "routes: [{ path: /admin/**, allow: { group: ops } }]\n",
        ]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        let keys =
            (context.rules.providers.count > 1 ? ["subject", "group", "claim"] : [])
            + (context.rules.bearer.count > 1 ? ["client_id"] : [])
        return context.conditions.filter { $0.condition.providers.isEmpty }.compactMap { _, condition in
            condition.node.entries?.first { keys.contains($0.key) }.map { key in
                GatewayFinding(
                    "the \(key.key == "client_id" ? "client" : key.key) may be of any provider", at: key.keySpan,
                    help: "add provider: ID to the condition")
            }
        }
    }
}
