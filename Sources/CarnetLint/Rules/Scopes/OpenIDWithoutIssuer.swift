import CarnetDescriptors
import CarnetFoundation

struct OpenIDWithoutIssuer: LintRule {
    let explanation = DiagnosticExplanation(
        code: "S007",
        name: "openid-without-issuer",
        summary: "The descriptor requests the scope 'openid', but Carnet could not validate the ID token.",
        rationale: """
            Carnet validates the issuer, audience and signature of each ID token. It needs the issuer, and the keys \
            from the issuer's metadata document or from 'endpoints.jwks'. A provider without ID tokens may have an \
            ordinary scope with the name 'openid'. Then add 'samples.token', a token response without an ID token.
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
            discovery: none
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            scopes: { default: [⟦openid⟧] }

            """,
        ],
        good: [
            "issuer: https://id.acme.example\nscopes: { default: [openid] }\n",
            """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            scopes: { default: [openid] }
            samples: { token: { access_token: redacted, token_type: Bearer } }

            """,
            """
            issuer: https://id.acme.example
            discovery: none
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
            let rules = descriptor.token.response
            if let sample = descriptor.samples.token?[rules.root],
                sample.first(of: rules.fields.idToken.pointers)?.string == nil
            {
                return []
            }
            help = "add 'issuer', or samples.token if no ID token comes"
        } else if descriptor.isWithout(.jwks) {
            help = "add 'endpoints.jwks', or remove 'discovery: none'"
        } else {
            return []
        }
        return [finding("Carnet cannot validate the ID token", in: context, at: use.node.span, help: help)]
    }
}
