import CarnetDescriptors

struct UnusedIssuer: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G015", name: "unused-issuer", severity: .warning,
        summary: "The file accepts access tokens, but no route does; or a route that takes them is open to anyone.",
        rationale: """
            A route takes access tokens only with bearer: true. A route that is open to anyone needs none. Otherwise the \
            key has no effect, and a reader thinks that programs have access.
            """,
        bad: [
            "⟦bearer⟧: [acme]\nroutes: [{ path: /api/**, allow: signed_in }]\n",
            "bearer: [acme]\nroutes: [{ path: /api/**, allow: anyone, ⟦bearer⟧: true }]\n",
        ],
        good: ["bearer: [acme]\nroutes: [{ path: /api/**, allow: signed_in, bearer: true }]\n"]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        let open = context.rules.routes.filter { route in
            if case .anyone = route.allow { route.acceptsTokens } else { false }
        }
        let needless = open.compactMap { $0.node.entry("bearer")?.keySpan }.map {
            GatewayFinding("the route needs no access token", at: $0, help: "remove bearer: true")
        }
        guard !context.rules.bearer.isEmpty, !context.rules.routes.contains(where: \.acceptsTokens),
            let entry = context.root.entry("bearer")
        else { return needless }
        return needless + [
            GatewayFinding("no route takes access tokens", at: entry.keySpan, help: "add bearer: true to a route")
        ]
    }
}
