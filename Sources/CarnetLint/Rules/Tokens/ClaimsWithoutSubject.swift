import CarnetDescriptors
import CarnetFoundation

struct ClaimsWithoutSubject: LintRule {
    let explanation = DiagnosticExplanation(
        "T001", name: "claims-without-subject", severity: .warning,
        summary: "A profile without OpenID Connect does not map the subject.",
        rationale: """
            The subject is the claim that identifies an account. OpenID providers have it at '/sub'. Other APIs call \
            it 'id', 'user_id' or similar. Without it, the application cannot recognize a user at the next sign-in.
            """,
        references: ["OpenID Connect Core 1.0, section 5.3.2"],
        bad: """
            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
              userinfo: https://api.acme.example/me
            profile:
              ⟦claims⟧: { name: /login }
            """,
        good: """
            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
              userinfo: https://api.acme.example/me
            profile:
              claims: { subject: /id, name: /login }

            profile: { claims: { picture: /avatar } }

            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
              userinfo: https://api.acme.example/me
            profile:
              claims: { team: /team, number: /number }
              derive: { subject: '{claim.team}-{claim.number}' }

            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
              userinfo: https://api.acme.example/me
            profile:
              claims: { name: /name }
              subject: { none: No response has an identifier. }

            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
              userinfo: https://api.acme.example/me
            profile:
              claims: { name: /login }
            samples: { userinfo: { sub: '248289761001', login: jane } }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        let claims = descriptor.profile.claims
        // The simulation finds the subject in a sample, or not.
        let samples = descriptor.samples
        let sample = descriptor.profile.source == .tokenResponse ? samples.token : samples.userinfo
        guard !descriptor.canHaveIDToken, !claims.isEmpty, claims["subject"] == nil,
            descriptor.profile.derive["subject"] == nil, descriptor.profile.subject == nil,
            sample == nil
        else { return [] }
        return findings(
            "the claims do not map the subject", in: context, at: context.places.profile.claims.keySpan,
            help:
                "add 'subject', e.g. subject: /id; without it, Carnet reads /sub; if the provider has none, add profile: { subject: { none: REASON } }"
        )
    }
}

struct SubjectSwitchedOff: LintRule {
    let explanation = DiagnosticExplanation(
        "T072", name: "subject-switched-off",
        summary: "An empty list of pointers, or a list of values as the subject, identifies no user.",
        rationale: """
            Without a subject, all users of the provider get one account. If no response identifies the user, say so \
            with a reason: 'subject: { none: REASON }'. The host then names the account.
            """,
        references: ["OpenID Connect Core 1.0, section 5.3.2"],
        bad: [
            "profile: { claims: { subject: ⟦[]⟧ } }",
            "profile: { claims: { subject: ⟦{ root: /users, each: /id }⟧ } }",
        ],
        good: """
            profile: { claims: { subject: [/sub, /id] } }

            profile: { claims: { subject: { root: /users, first: /id } } }

            profile:
              claims: { subject: [], team: /team, number: /number }
              derive: { subject: '{claim.team}-{claim.number}' }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        guard context.descriptor.profile.isWithoutSubject else { return [] }
        return findings(
            "nothing identifies the user", in: context, at: context.places.profile.claims["subject"].span,
            help: "map the subject, make it in 'derive', or write subject: { none: REASON } instead")
    }
}
