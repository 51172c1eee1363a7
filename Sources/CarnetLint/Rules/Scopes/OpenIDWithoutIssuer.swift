import CarnetDescriptors

struct OpenIDWithoutIssuer: LintRule {
    let explanation = RuleExplanation(
        code: "S007",
        name: "openid-without-issuer",
        summary: "The scope 'openid' is asked for, and the ID token that comes could not be checked.",
        rationale: """
            An ID token is worth something only after its issuer, audience and signature were checked. That takes the \
            issuer, and the keys: from the issuer's metadata document, or from 'endpoints.jwks'.
            """,
        references: ["OpenID Connect Core 1.0, section 3.1.3.7"],
        bad: [
            """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
              jwks: https://id.acme.example/jwks
            scopes: { default: [⟦openid⟧] }

            """,
            """
            issuer: https://id.acme.example
            discovery: off
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            scopes: { default: [⟦openid⟧] }

            """,
        ],
        good: [
            "issuer: https://id.acme.example\nscopes: { default: [openid] }\n",
            """
            issuer: https://id.acme.example
            discovery: off
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
              jwks: https://id.acme.example/jwks
            scopes: { default: [openid] }

            """,
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        guard let use = context.scopeUses.first(where: { $0.place == .requested && $0.scope == "openid" })
        else {
            return []
        }
        let help: String
        if !descriptor.canHaveIDToken {
            help = "add 'issuer'"
        } else if descriptor.isWithout(.jwks) {
            help = "add 'endpoints.jwks', or let the metadata document be discovered"
        } else {
            return []
        }
        return [finding("the ID token cannot be checked", in: context, at: use.node.span, help: help)]
    }
}
