import CarnetDescriptors
import CarnetFoundation

struct BadTokenScheme: LintRule {
    let explanation = DiagnosticExplanation(
        "T009", name: "bad-token-scheme", summary: "api.scheme is not the name of an authentication scheme.",
        rationale: """
            The scheme is one word before the token in the Authorization header, such as Bearer, OAuth or token.
            """,
        references: ["RFC 9110, section 11.1", "RFC 6750, section 2.1"],
        bad: ["api: { scheme: ⟦'Bearer '⟧ }", "api: { scheme: ⟦'Authorization: Bearer'⟧ }"],
        good: "api: { scheme: OAuth }")

    func check(_ context: LintContext) -> [Diagnostic] {
        let scheme = context.descriptor.api.scheme
        guard !BadHeader.isToken(scheme) else { return [] }
        let message = "\"\(scheme)\" is not the name of an authentication scheme"
        return [finding(message, in: context, at: context.places.api.scheme.span, help: "write one word, e.g. Bearer")]
    }
}
