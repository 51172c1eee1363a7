import CarnetDescriptors

struct ClaimsWithoutSubject: LintRule {
    let explanation = RuleExplanation(
        code: "T001",
        name: "claims-without-subject",
        severity: .warning,
        summary: "A profile of an API that is not OpenID Connect does not say where the subject is.",
        rationale: """
            The subject is the one claim that tells accounts apart. OpenID providers have it at '/sub'; the profile of an \
            OAuth API calls it 'id', 'user_id' or something else, and without it nobody can be recognised the next time.
            """,
        references: ["OpenID Connect Core 1.0, section 5.3.2"],
        bad: [
            """
            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
              userinfo: https://api.acme.example/me
            profile:
              ⟦claims⟧: { name: /login }

            """
        ],
        good: [
            """
            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
              userinfo: https://api.acme.example/me
            profile:
              claims: { subject: /id, name: /login }

            """,
            "profile: { claims: { picture: /avatar } }\n",
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        let claims = descriptor.profile.claims
        guard !descriptor.canHaveIDToken, !claims.isEmpty, claims["subject"] == nil else { return [] }
        return [
            finding(
                "the claims do not say where the subject is",
                in: context,
                at: context.places.profile.claims.keySpan,
                help: "add 'subject', e.g. subject: /id; without it, /sub is read"
            )
        ]
    }
}
