import CarnetDescriptors

struct ProviderNotInFile: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G001", name: "provider-not-in-file",
        summary: "A route or an issuer names a provider that the file does not list, or the list has one twice.",
        rationale: """
            Nobody can sign in with a provider that is not in the list, so the route would refuse everybody. A provider \
            that is listed twice would have two registrations.
            """,
        bad: [
            "routes: [{ path: /admin/**, allow: { provider: ⟦acmee⟧ } }]\n",
            "bearer: [⟦globex⟧]\nroutes: [{ allow: signed_in, bearer: true }]\n",
            "providers:\n  - acme\n  - ⟦acme⟧\n",
        ],
        good: ["routes: [{ path: /admin/**, allow: { provider: acme } }]\n"]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        let rules = context.rules
        let ids = rules.providers.map(\.id.rawValue)
        let named = context.conditions.flatMap { $0.condition.node.values(of: "provider") }
        let issuers = rules.bearer.map { $0.node.entry("provider")?.value ?? $0.node }
        let unknown = (named + issuers).compactMap { node -> GatewayFinding? in
            guard let text = node.scalar?.text, !ids.contains(text) else { return nil }
            return GatewayFinding(
                "the file has no provider \"\(text)\"", at: node.span,
                help: suggestion(for: text, among: ids) ?? "add it to providers")
        }
        return unknown + repeated(rules.providers.map { ($0.id, $0.span) })
            + repeated(rules.bearer.map { ($0.provider, $0.span) })
    }

    private func repeated(_ named: [(id: ProviderID, span: SourceSpan)]) -> [GatewayFinding] {
        named.enumerated().compactMap { index, later in
            named[..<index].first { $0.id == later.id }.map { first in
                GatewayFinding(
                    "\"\(later.id)\" is listed twice", at: later.span, help: "remove one of the two",
                    related: ("it is listed here first", first.span))
            }
        }
    }
}
