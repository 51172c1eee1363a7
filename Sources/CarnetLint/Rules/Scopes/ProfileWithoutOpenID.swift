import CarnetDescriptors
import CarnetFoundation

struct ProfileWithoutOpenID: LintRule {
    let explanation = DiagnosticExplanation(
        "S014", name: "profile-without-openid", summary: "The profile is in the ID token, and no scope asks for one.",
        rationale: """
            A server issues an ID token if the scope 'openid' is granted. Without it, a sign-in succeeds, and nobody knows \
            who signed in. If the provider issues ID tokens anyway, add 'samples.token', a token response that has one.
            """,
        references: ["OpenID Connect Core 1.0, section 3.1.2.1"],
        bad: """
            issuer: https://id.acme.example
            scopes: { default: [email] }
            profile: { from: ⟦id_token⟧ }
            """,
        good: """
            issuer: https://id.acme.example
            scopes: { required: [openid] }
            profile: { from: id_token }

            issuer: https://id.acme.example
            scopes: { default: [email] }
            profile: { from: id_token }
            samples:
              token: { access_token: redacted, token_type: Bearer, id_token: redacted }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        let rules = descriptor.token.response
        let root = descriptor.samples.token?[rules.root]
        guard descriptor.profile.source == .idToken, !descriptor.scopes.requestsOpenID, descriptor.canHaveIDToken,
            !rules.fields.idToken.pointers.contains(where: { root?[$0]?.string?.isEmpty == false })
        else { return [] }
        return findings(
            "no scope asks for the ID token, which has the profile", in: context,
            at: context.places.profile.source.span, help: "add the scope: scopes: { default: [openid] }")
    }
}
