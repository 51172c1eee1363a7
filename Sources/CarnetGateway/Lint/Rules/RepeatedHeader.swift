import CarnetDescriptors
import HTTPTypes

struct RepeatedHeader: GatewayRule {
    let explanation = DiagnosticExplanation(
        code: "G005", name: "repeated-header",
        summary: "Two values are in one header.",
        rationale: """
            The names of headers have no case. If an identity header, the identity token and the token of a route share a header, \
            the program behind the proxy cannot know which of them it reads.
            """,
        references: ["RFC 9110, section 5.1"],
        bad: [
            "headers: { X-Auth-Token: \"{account.subject}\" }\nidentity_token: { header: ⟦x-auth-token⟧ }\n",
            """
            headers: { X-Token: "{account.subject}" }
            proxy: { secret_env: PROXY_SECRET }
            routes: [{ allow: signed_in, token: { kind: access, header: ⟦X-Token⟧ } }]

            """,
            """
            identity_token: {}
            proxy: { secret_env: PROXY_SECRET }
            routes: [{ allow: signed_in, token: { kind: id, header: ⟦X-Auth-Assertion⟧ } }]

            """,
        ],
        good: [
            "headers: { X-Auth-User: \"{account.subject}\" }\nidentity_token: { lifetime: 60 }\n",
            """
            identity_token: {}
            proxy: { secret_env: PROXY_SECRET }
            routes:
              - { path: /a/**, allow: signed_in, token: { kind: id, header: X-Token } }
              - { path: /b/**, allow: signed_in, token: { kind: access, header: X-Token } }

            """,
        ]
    )

    func check(_ context: GatewayContext) -> [GatewayFinding] {
        let rules = context.rules
        var first = rules.headers.all.map { (name: $0.name, span: $0.span) }
        var found: [GatewayFinding] = []
        func check(_ name: HTTPField.Name, at span: SourceSpan) {
            guard let other = first.first(where: { $0.name == name }) else { return }
            found.append(
                GatewayFinding(
                    "the header \(name.rawName) has another value", at: span, help: "choose another name",
                    related: ("it is here", other.span)))
        }
        if let token = rules.identityToken {
            let span = token.node.entry("header")?.value.span
            check(token.header, at: span ?? first.first { $0.name == token.header }?.span ?? token.node.span)
            first.append((token.header, span ?? token.node.span))
        }
        for route in rules.routes {
            guard let token = route.token else { continue }
            check(token.header, at: route.node.node(at: ["token", "header"])?.span ?? route.node.span(of: "token"))
        }
        return found
    }
}
