import CarnetDescriptors

struct SubjectFromFurtherRequest: LintRule {
    let explanation = DiagnosticExplanation(
        "T050", name: "subject-from-further-request", summary: "A further request of the profile maps the subject.",
        rationale: """
            The subject identifies the account, and Carnet compares it with the ID token's. It must come from the \
            first request, because a further request may fail. Carnet ignores the subject of a further request.
            """,
        references: ["OpenID Connect Core 1.0, section 5.3.2"],
        bad: """
            profile:
              requests: [{ url: 'https://api.acme.example/emails', claims: { email: /email, ⟦subject⟧: /id } }]
            """,
        good: """
            profile:
              claims: { subject: /id }
              requests:
                - url: https://api.acme.example/emails
                  where: { primary: true }
                  claims: { email: /email, email_verified: /verified }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        context.places.profile.requests.all.map { $0.claims["subject"] }.filter(\.isWritten).map { subject in
            finding(
                "the subject cannot come from a further request", in: context, at: subject.keySpan,
                help:
                    "map it in 'profile.claims', and make its URL 'endpoints.userinfo', which takes values of lookups, too"
            )
        }
    }
}
