import CarnetDescriptors

struct TokenOfAnyProvider: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G026", name: "token-of-any-provider",
        summary: "A program cannot know which provider's token it gets, or whether it gets one.",
        rationale: """
            A program sends an access token to the servers of one provider. The token of another provider would be disclosed to \
            them. If people sign in with several providers, each condition of a route with token names one. With allow: anyone, \
            the program gets no token from people who are not signed in, so that the header does not protect it.
            """,
        references: ["RFC 9700, section 4.9.1"],
        bad: [
            """
            providers: [acme, globex]
            proxy: { secret_env: PROXY_SECRET }
            routes:
              - { path: /a/**, token: access, allow: ⟦signed_in⟧ }
              - { path: /b/**, token: access, allow: [{ provider: acme }, ⟦{ email_domain: example.com }⟧] }
              - { path: /c/**, token: access, allow: ⟦{ provider: [acme, globex], group: ops }⟧ }

            """,
            "proxy: { secret_env: PROXY_SECRET }\nroutes: [{ token: access, allow: ⟦anyone⟧ }]\n",
        ],
        good: [
            """
            providers: [acme, globex]
            proxy: { secret_env: PROXY_SECRET }
            routes: [{ token: access, allow: { provider: acme, email_domain: example.com } }]

            """,
            "proxy: { secret_env: PROXY_SECRET }\nroutes: [{ token: access, allow: signed_in }]\n",
        ]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        let providers = context.rules.providers.filter(\.signsIn)
        let several = "the program gets the token of any of \(providers.map(\.id.rawValue).joined(separator: ", "))"
        let help = "name one provider: allow: { provider: \(providers.first?.id.rawValue ?? "ID") }"
        return context.rules.routes.filter { $0.token != nil }.flatMap { route -> [GatewayFinding] in
            let span = route.node.span(of: "allow")
            switch route.allow {
            case .anyone:
                return [
                    GatewayFinding(
                        "the program gets no token from people who are not signed in", at: span,
                        help: "demand a sign-in, or leave token out")
                ]
            case .signedIn: return providers.count > 1 ? [GatewayFinding(several, at: span, help: help)] : []
            case .conditions(let conditions):
                return conditions.filter { context.rules.providers(of: $0).filter(\.signsIn).count > 1 }
                    .map { GatewayFinding(several, at: $0.span, help: help) }
            }
        }
    }
}
