import CarnetDescriptors

struct TokensWithoutIssuer: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G004",
        name: "tokens-without-issuer",
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

    func check(_ context: GatewayContext) -> [Diagnostic] {
        var found: [Diagnostic] = []
        for route in context.rules.routes where route.acceptsTokens && context.rules.bearer.isEmpty {
            found.append(
                finding(
                    "the file accepts no issuer's tokens", context, at: keySpan("bearer", of: route.node),
                    help: "add bearer: [PROVIDER] to the file"))
        }
        for (route, condition) in context.conditions where !condition.clientIDs.isEmpty && !route.acceptsTokens {
            found.append(
                finding(
                    "only programs have a client, and the route takes no access tokens", context,
                    at: condition.keySpan("client_id"), help: "add bearer: true to the route"))
        }
        for issuer in context.rules.bearer.filter(\.introspects).dropFirst() {
            found.append(
                finding(
                    "another issuer introspects already", context, at: keySpan("introspection", of: issuer.node),
                    help: "keep introspection: true at one issuer"))
        }
        return found
    }

    private func keySpan(_ key: String, of node: YAMLNode) -> SourceSpan { node.entry(key)?.keySpan ?? node.span }
}
