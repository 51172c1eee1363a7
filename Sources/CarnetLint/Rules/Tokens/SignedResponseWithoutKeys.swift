import CarnetDescriptors
import CarnetFoundation

struct SignedResponseWithoutKeys: LintRule {
    let explanation = DiagnosticExplanation(
        "T010", name: "signed-response-without-keys",
        summary: "The provider must sign a response, but Carnet has no issuer or no keys to validate it with.",
        rationale: """
            Carnet validates the signature of a signed response with the issuer's keys. Without an issuer, or without \
            a URL of the keys when discovery is off, it can validate no response, and every sign-in fails. A signed callback \
            has the state in it, so it cannot be in the redirect URI.
            """,
        references: [
            "JWT Secured Authorization Response Mode, section 2.4", "OpenID Connect Core 1.0, section 5.3.2",
            "RFC 9701, section 5",
        ],
        bad: """
            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
            authorization: { response_mode: ⟦jwt⟧ }

            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
              userinfo: https://acme.example/me
              introspection: https://acme.example/introspect
            profile: { jwt: ⟦[RS256]⟧ }
            introspection: { jwt: ⟦[RS256]⟧ }

            issuer: https://id.acme.example
            discovery: none
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            authorization: { response_mode: ⟦form_post.jwt⟧ }

            authorization: { response_mode: ⟦jwt⟧, state: { in: redirect_uri, because: Acme drops the parameter } }
            """,
        good: [
            "authorization: { response_mode: jwt }\ncallback: { jwt: [PS256] }",
            "profile: { jwt: [PS256] }\nintrospection: { jwt: [PS256] }",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        if descriptor.authorization.responseMode?.isSigned == true, !descriptor.authorization.state.isParameter {
            return [
                finding(
                    "a signed callback has the state in it, and the descriptor puts it into the redirect URI",
                    in: context, at: context.places.authorization.responseMode.span,
                    help: "remove 'state', or the response mode")
            ]
        }
        guard !descriptor.canHaveIDToken || descriptor.isWithout(.jwks) else { return [] }
        let reason = descriptor.canHaveIDToken ? "the URL of the keys is missing" : "there is no issuer"
        let help = descriptor.canHaveIDToken ? "add endpoints.jwks" : "add the issuer"
        let places = context.places
        var signed = [places.profile.jwt, places.introspection.jwt].filter(\.isWritten).map(\.span)
        if descriptor.authorization.responseMode?.isSigned == true {
            signed.insert(places.authorization.responseMode.span, at: 0)
        }
        return signed.map {
            finding("Carnet cannot validate a signed response: \(reason)", in: context, at: $0, help: help)
        }
    }
}
