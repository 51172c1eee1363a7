import CarnetDescriptors
import CarnetFoundation

struct StateInRedirectURI: SingleValueRule {
    let explanation = DiagnosticExplanation(
        code: "C052",
        name: "state-in-redirect-uri",
        severity: .warning,
        summary: "The state is sent in the redirect URI, because the provider does not return the parameter.",
        rationale: """
            Carnet still compares the state. The state is a query of the redirect URI that differs for each sign-in. \
            A provider that compares redirect URIs exactly, as it should, rejects every sign-in. A provider that \
            accepts the query does not compare them exactly. The finding is a reminder. Suppress it with evidence \
            that it still applies.
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
