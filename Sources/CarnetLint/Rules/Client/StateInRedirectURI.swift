import CarnetDescriptors

struct StateInRedirectURI: SingleValueRule {
    let explanation = RuleExplanation(
        code: "C052",
        name: "state-in-redirect-uri",
        severity: .warning,
        summary: "The state rides in the redirect URI, because the provider drops the parameter.",
        rationale: """
            The state is compared all the same. But a provider that lets the query of a redirect URI vary does not compare \
            redirect URIs exactly, as it should, and one that does will refuse every sign-in. The finding keeps the \
            weakness in sight; suppress it with the evidence that it still holds.
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
