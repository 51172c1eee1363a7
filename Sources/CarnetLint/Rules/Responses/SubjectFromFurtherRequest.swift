import CarnetDescriptors

struct SubjectFromFurtherRequest: LintRule {
    let explanation = RuleExplanation(
        code: "T050",
        name: "subject-from-further-request",
        summary: "A further request of the profile is to bring the subject.",
        rationale: """
            The subject says whose account it is, and is compared with the ID token's. It comes from the first request or \
            not at all: a further request that fails would otherwise make one account into another.
            """,
        references: ["OpenID Connect Core 1.0, section 5.3.2"],
        bad: [
            """
            profile:
              requests: [{ url: 'https://api.acme.example/emails', claims: { email: /email, ⟦subject⟧: /id } }]

            """
        ],
        good: [
            """
            profile:
              claims: { subject: /id }
              requests:
                - url: https://api.acme.example/emails
                  where: { primary: true }
                  claims: { email: /email, email_verified: /verified }

            """
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        context.places.profile.requests.all.map { $0.claims["subject"] }.filter(\.isWritten).map { subject in
            finding(
                "the subject cannot come from a further request",
                in: context,
                at: subject.keySpan,
                help: "map it in 'profile.claims', and make the request that has it the first one"
            )
        }
    }
}
