import CarnetDescriptors
import CarnetFoundation

struct LogoutTokenWithoutEnd: SingleValueRule {
    let explanation = DiagnosticExplanation(
        code: "T061",
        name: "logout-token-without-expiry",
        severity: .warning,
        summary: "Carnet accepts logout tokens without an expiry.",
        rationale: """
            Everyone who holds a logout token can sign users out until it expires. Carnet accepts a token without exp \
            for five minutes after it was issued. Use this only if the provider sends no exp, and give the reason. \
            The finding is a reminder. Suppress it with evidence that it still applies.
            """,
        references: ["OpenID Connect Back-Channel Logout 1.0, sections 2.4 and 2.6"],
        bad: ["issuer: https://id.acme.example\nlogout: { missing_exp: ⟦'version 2.7.5 leaves it out'⟧ }\n"],
        good: ["issuer: https://id.acme.example\nlogout: { omit: [client_id] }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        guard let reason = context.descriptor.logout.missingEnd else { return [] }
        let message = "logout tokens without an expiry are accepted: \(reason)"
        return [finding(message, in: context, at: context.places.logout.missingEnd.span)]
    }
}
