import CarnetDescriptors
import CarnetFoundation

struct TokenInCallback: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "C030", name: "token-in-callback", summary: "The response type requests a token in the callback.",
        rationale: """
            'response_type' is for providers with another name for 'code'. With 'token' or 'id_token', the tokens \
            pass through the browser, where its history and other pages can expose them. Carnet rejects a callback \
            with a token.
            """,
        references: ["RFC 9700, section 2.1.2", "RFC 6749, section 10.3"],
        bad: ["authorization: { response_type: ⟦token⟧ }", "authorization: { response_type: ⟦code id_token⟧ }"],
        good: "authorization: { response_type: auth_code }")

    func check(_ context: LintContext) -> [Diagnostic] {
        let words = context.descriptor.authorization.responseType.split(separator: " ")
        guard words.contains(where: { ["token", "id_token"].contains($0) }) else { return [] }
        return findings(
            "the tokens would pass through the browser", in: context,
            at: context.places.authorization.responseType.span,
            help: "remove the key; Carnet requests a code by default")
    }
}
