import CarnetDescriptors

struct GatewayKeyWithoutEffect: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G028", name: "gateway-key-without-effect", severity: .warning,
        summary: "Something in the file has no effect.",
        rationale: """
            The page of providers is left out only if people sign in with one provider. A session ends after its lifetime, \
            however long it may be idle. Proxies forward the paths below /carnet/ to the gateway, which decides about none \
            of them.
            """,
        bad: [
            "providers: [acme, globex]\npage: { ⟦skip⟧: true }\n",
            "session: { lifetime: 3600, ⟦idle⟧: 7200 }\n",
            "routes: [{ path: ⟦/carnet/admin⟧, allow: signed_in }]\n",
        ],
        good: [
            "providers: [acme, { id: globex, sign_in: false }]\npage: { skip: true }\n",
            "session: { lifetime: 7200, idle: 3600 }\n",
            "routes: [{ path: /carnets/**, allow: signed_in }]\n",
        ]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        let rules = context.rules
        func found(_ section: String, _ key: String, _ message: String, help: String) -> [GatewayFinding] {
            context.node(section)?.entry(key).map { [GatewayFinding(message, at: $0.keySpan, help: help)] } ?? []
        }
        let skipped =
            rules.page.skipsPage && rules.providers.count { $0.signsIn } > 1
            ? found("page", "skip", "with several providers, people see the page", help: "remove it") : []
        let idle =
            rules.session.idle > rules.session.lifetime
            ? found(
                "session", "idle", "the session ends before, after \(rules.session.lifetime) seconds",
                help: "write fewer seconds than lifetime has, or a longer lifetime") : []
        return skipped + idle
            + rules.routes.filter { $0.path.hasPrefix(GatewayPaths.prefix) }.map {
                GatewayFinding(
                    "the gateway has its own pages below \(GatewayPaths.prefix), so no program gets the requests",
                    at: $0.node.span(of: "path"), help: "give the program another path")
            }
    }
}
