import CarnetDescriptors

struct TokensWithoutIssuer: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G004", name: "tokens-without-issuer",
        summary: "A route is for programs, but no access token can be presented there.",
        rationale: """
            Programs need access tokens of an issuer in bearer, at a route with bearer: true. Otherwise the route refuses \
            all of them. An opaque token does not name its issuer, so only one issuer can introspect.
            """,
        references: ["RFC 6750, section 2.1", "RFC 7662, section 2"],
        bad: [
            "routes: [{ path: /api/**, allow: signed_in, ⟦bearer⟧: true }]\n",
            "bearer: [acme]\nroutes: [{ path: /api/**, allow: { ⟦client_id⟧: robot } }, { path: /x, bearer: true, allow: signed_in }]\n",
            """
            providers: [acme, globex]
            bearer:
              - { provider: acme, introspection: true }
              - { provider: globex, ⟦introspection⟧: true }
            routes: [{ bearer: true, allow: signed_in }]

            """,
        ],
        good: ["bearer: [acme]\nroutes: [{ path: /api/**, bearer: true, allow: { client_id: robot } }]\n"]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        let (routes, bearer) = (context.rules.routes, context.rules.bearer)
        let refused = (bearer.isEmpty ? routes.filter(\.acceptsTokens) : []).map {
            GatewayFinding(
                "the file accepts no issuer's tokens", at: $0.node.keySpan("bearer"),
                help: "add bearer: [PROVIDER] to the file")
        }
        let clients = context.conditions.filter { !$0.condition.clientIDs.isEmpty && !$0.route.acceptsTokens }.map {
            GatewayFinding(
                "only programs have a client, and the route takes no access tokens",
                at: $0.condition.node.keySpan("client_id"), help: "add bearer: true to the route")
        }
        return refused + clients
            + bearer.filter(\.introspects).dropFirst().map {
                GatewayFinding(
                    "another issuer introspects already", at: $0.node.keySpan("introspection"),
                    help: "keep introspection: true at one issuer")
            }
    }
}
