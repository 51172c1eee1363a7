import CarnetDescriptors
import CarnetFoundation

struct PKCEOff: SingleValueRule {
    let explanation = DiagnosticExplanation(
        code: "C001",
        name: "pkce-off",
        severity: .warning,
        summary: "PKCE is off.",
        rationale: """
            Without PKCE, everyone who gets hold of the code can redeem it. Servers that do not know the parameters \
            ignore them. Turn PKCE off only if the server rejects them, and give the reason. The finding is a \
            reminder. Suppress it with evidence that the server still rejects PKCE.
            """,
        references: ["RFC 7636, section 1", "RFC 9700, section 2.1.1"],
        bad: ["authorization: { pkce: ⟦{ none: their token endpoint refuses code_verifier }⟧ }\n"],
        good: ["authorization: { pkce: required }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        guard case .off(let reason) = context.descriptor.authorization.pkce else { return [] }
        let message = "PKCE does not protect the sign-in: \(reason)"
        return [finding(message, in: context, at: context.places.authorization.pkce.span)]
    }
}
