import CarnetDescriptors

struct PKCEOff: SingleValueRule {
    let explanation = RuleExplanation(
        code: "C001",
        name: "pkce-off",
        severity: .warning,
        summary: "The proof key is switched off.",
        rationale: """
            Without the proof key, whoever gets hold of the code can redeem it. Servers that do not know the parameters \
            ignore them, so it has to be off only where a server refuses them; the descriptor says why. The finding keeps \
            the weakness in sight; suppress it with the evidence that it still holds.
            """,
        references: ["RFC 7636, section 1", "RFC 9700, section 2.1.1"],
        bad: ["authorization: { pkce: ⟦{ off: their token endpoint refuses code_verifier }⟧ }\n"],
        good: ["authorization: { pkce: required }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        guard case .off(let reason) = context.descriptor.authorization.pkce else { return [] }
        let message = "sign-in is not protected by a proof key: \(reason)"
        return [finding(message, in: context, at: context.places.authorization.pkce.span)]
    }
}
