import CarnetDescriptors
import CarnetFoundation

struct ProfileWithoutSource: LintRule {
    let explanation = DiagnosticExplanation(
        "T002", name: "profile-without-source", summary: "The profile's source does not exist at this provider.",
        rationale: """
            A profile from 'userinfo' needs that endpoint, named or discovered. A profile from 'id_token' needs an \
            issuer, so that Carnet can validate the ID token.
            """,
        references: ["OpenID Connect Core 1.0, section 5.3", "OpenID Connect Core 1.0, section 3.1.3.7"],
        bad: """
            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
            profile: { from: ⟦userinfo⟧ }

            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
            profile: { from: ⟦id_token⟧ }
            """,
        good: ["scopes: { default: [openid] }\nprofile: { from: id_token }", "profile: { from: userinfo }"])

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        let span = context.places.profile.source.span
        switch descriptor.profile.source {
        case .userinfo where descriptor.isWithout(.userinfo):
            let message = "the profile comes from the userinfo endpoint, which does not exist"
            return [finding(message, in: context, at: span, help: "add 'endpoints.userinfo'")]
        case .idToken where !descriptor.canHaveIDToken:
            let message = "the profile comes from the ID token, which Carnet cannot validate without an issuer"
            return [finding(message, in: context, at: span, help: "add 'issuer'")]
        default: return []
        }
    }
}
