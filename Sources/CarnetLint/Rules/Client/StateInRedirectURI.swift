import CarnetDescriptors

struct StateInRedirectURI: SingleValueRule {
    let explanation = RuleExplanation(
        code: "C052",
        name: "state-in-redirect-uri",
        severity: .warning,
        summary: "The state is sent in the redirect URI, because the provider does not return the parameter.",
        rationale: """
            Carnet still compares the state. A provider that allows a varying query in the redirect URI does not \
            compare redirect URIs exactly, as it should. A provider that does compare them rejects every sign-in. The \
            finding is a reminder. Suppress it with evidence that it still applies.
            """,
        references: ["RFC 9700, section 2.1", "RFC 6749, section 10.12"],
        bad: ["authorization: { state: ⟦{ in: redirect_uri, because: they never send it back }⟧ }\n"],
        good: ["authorization: { state: parameter }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        guard case .redirectURI(let reason) = context.descriptor.authorization.state else { return [] }
        let message = "the state is sent in the redirect URI: \(reason)"
        return [finding(message, in: context, at: context.places.authorization.state.span)]
    }
}
