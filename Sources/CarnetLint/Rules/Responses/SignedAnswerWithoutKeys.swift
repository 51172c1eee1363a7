import CarnetDescriptors

struct SignedAnswerWithoutKeys: LintRule {
    let explanation = RuleExplanation(
        code: "T010",
        name: "signed-answer-without-keys",
        summary: "An answer must be signed by the provider, and nothing says by whom or with which keys.",
        rationale: """
            A signed answer is believed if the issuer's keys have signed it. Without an issuer, or without the keys' URL \
            where the metadata is not fetched, none can be judged, and every sign-in would fail.
            """,
        references: [
            "JWT Secured Authorization Response Mode, section 2.4", "OpenID Connect Core 1.0, section 5.3.2",
            "RFC 9701, section 5",
        ],
        bad: [
            """
            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
            authorization: { response_mode: ⟦jwt⟧ }

            """,
            """
            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
              userinfo: https://acme.example/me
              introspection: https://acme.example/introspect
            profile: { jwt: ⟦[RS256]⟧ }
            introspection: { jwt: ⟦[RS256]⟧ }

            """,
            """
            issuer: https://id.acme.example
            discovery: off
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            authorization: { response_mode: ⟦form_post.jwt⟧ }

            """,
        ],
        good: [
            "authorization: { response_mode: jwt }\ncallback: { jwt: [PS256] }\n",
            "profile: { jwt: [PS256] }\nintrospection: { jwt: [PS256] }\n",
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        guard !descriptor.canHaveIDToken || descriptor.isWithout(.jwks) else { return [] }
        let reason = descriptor.canHaveIDToken ? "there is no URL of keys" : "there is no issuer"
        let help = descriptor.canHaveIDToken ? "add endpoints.jwks" : "add the issuer"
        let places = context.places
        var signed = [places.profile.jwt, places.introspection.jwt].filter(\.isWritten).map(\.span)
        if descriptor.authorization.responseMode?.isSigned == true {
            signed.insert(places.authorization.responseMode.span, at: 0)
        }
        return signed.map { finding("a signed answer cannot be judged: \(reason)", in: context, at: $0, help: help) }
    }
}
