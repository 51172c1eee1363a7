import CarnetDescriptors

struct ProviderNotInFile: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G001",
        name: "provider-not-in-file",
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

    func check(_ context: GatewayContext) -> [Diagnostic] {
        let ids = context.rules.providers.map(\.id)
        func unknown(_ node: YAMLNode) -> Diagnostic? {
            guard let text = node.scalar?.text, !ids.contains(where: { $0.rawValue == text }) else { return nil }
            return finding(
                "the file has no provider \"\(text)\"", context, at: node.span,
                help: nearestName(to: text, in: ids.map(\.rawValue)).map { "did you mean \"\($0)\"?" }
                    ?? "add it to providers")
        }
        let named = context.conditions.flatMap { $0.condition.values(of: "provider") }
        let issuers = context.rules.bearer.map { $0.node.entry("provider")?.value ?? $0.node }
        return (named + issuers).compactMap(unknown)
            + repeated(context.rules.providers.map { ($0.id, $0.span) }, context)
            + repeated(context.rules.bearer.map { ($0.provider, $0.span) }, context)
    }

    private func repeated(_ named: [(id: ProviderID, span: SourceSpan)], _ context: GatewayContext) -> [Diagnostic] {
        named.indices.compactMap { index in
            guard let first = named[..<index].first(where: { $0.id == named[index].id }) else { return nil }
            return finding(
                "\"\(named[index].id)\" is listed twice", context, at: named[index].span, help: "remove one of the two",
                related: [context.related("it is listed here first", at: first.span)])
        }
    }
}
