import CarnetDescriptors

struct ProfileWithoutSource: LintRule {
    let explanation = RuleExplanation(
        code: "T002",
        name: "profile-without-source",
        summary: "The profile is to come from something that the provider does not have.",
        rationale: """
            A profile from 'userinfo' needs that endpoint, named or discovered; one from 'id_token' needs an issuer whose \
            ID token can be checked.
            """,
        references: ["OpenID Connect Core 1.0, section 5.3", "OpenID Connect Core 1.0, section 3.1.3.7"],
        bad: [
            """
            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
            profile: { from: ⟦userinfo⟧ }

            """,
            """
            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
            profile: { from: ⟦id_token⟧ }

            """,
        ],
        good: ["profile: { from: id_token }\n", "profile: { from: userinfo }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        let span = context.places.profile.source.span
        switch descriptor.profile.source {
        case .userinfo where descriptor.isWithout(.userinfo):
            let message = "the profile comes from the userinfo endpoint, and there is none"
            return [finding(message, in: context, at: span, help: "add 'endpoints.userinfo'")]
        case .idToken where !descriptor.canHaveIDToken:
            let message = "the profile comes from the ID token, and there is no issuer to check it with"
            return [finding(message, in: context, at: span, help: "add 'issuer'")]
        default: return []
        }
    }
}
