import CarnetDescriptors
import HTTPTypes

struct HeaderOfTheProxy: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G030", name: "header-of-the-proxy", severity: .warning,
        summary: "A header for the program has a name that proxies use themselves.",
        rationale: """
            The generated configurations set or remove this header, so carnet gateway proxy refuses the file. With another \
            configuration, the program may take the value for a fact about the request, such as the client's address.
            """,
        bad: [
            "headers: { ⟦X-Real-IP⟧: \"{account.id}\" }\n",
            "headers: { ⟦User-Agent⟧: \"{account.id}\" }\n",
            "identity_token: { header: ⟦X-Client-Cert⟧ }\n",
        ],
        good: ["headers: { X-Auth-User: \"{account.id}\", X-Forwarded-User: \"{account.id}\" }\n"]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        let rules = context.rules
        let token = rules.identityToken.flatMap { token in
            token.node.entry("header").map { (name: token.header, span: $0.value.span) }
        }
        let tokens = rules.routes.compactMap { route in
            route.token.flatMap { token in
                route.node.node(at: ["token", "header"]).map { (name: token.header, span: $0.span) }
            }
        }
        let named = rules.headers.all.map { (name: $0.name, span: $0.span) } + [token].compactMap { $0 } + tokens
        return named.filter { RemovedHeaders.reserves($0.name.rawName) }.map {
            GatewayFinding(
                "a proxy needs the header \($0.name.rawName) for itself", at: $0.span,
                help: "choose another name, such as X-Auth-User")
        }
    }
}
