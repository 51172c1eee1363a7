import CarnetDescriptors

struct LogoutTokenWithoutEnd: SingleValueRule {
    let explanation = RuleExplanation(
        code: "T061",
        name: "logout-token-without-end",
        severity: .warning,
        summary: "Logout tokens without an end are accepted.",
        rationale: """
            Whoever holds a logout token can sign people out until it ends. One without exp is taken for five minutes after \
            it was issued, which is all that bounds it. It has to be so only where a provider sends none; the descriptor \
            says why. The finding keeps the weakness in sight; suppress it with the evidence that it still holds.
            """,
        references: ["OpenID Connect Back-Channel Logout 1.0, sections 2.4 and 2.6"],
        bad: ["issuer: https://id.acme.example\nlogout: { missing_exp: ⟦'version 2.7.5 leaves it out'⟧ }\n"],
        good: ["issuer: https://id.acme.example\nlogout: { omit: [client_id] }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        guard let reason = context.descriptor.logout.missingEnd else { return [] }
        let message = "logout tokens without an end are accepted: \(reason)"
        return [finding(message, in: context, at: context.places.logout.missingEnd.span)]
    }
}
