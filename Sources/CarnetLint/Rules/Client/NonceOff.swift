import CarnetDescriptors
import CarnetFoundation

struct NonceOff: SingleValueRule {
    let explanation = DiagnosticExplanation(
        code: "C002",
        name: "nonce-off",
        severity: .warning,
        summary: "The nonce of the ID token is off or optional.",
        rationale: """
            The nonce binds the ID token to this sign-in, so that nobody can replace it by an ID token of another \
            sign-in. Servers that do not know the parameter ignore it. Turn it off only if the server rejects it or \
            leaves it out of its ID tokens.
            """,
        references: ["OpenID Connect Core 1.0, section 15.5.2", "RFC 9700, section 4.5.3"],
        bad: [
            "authorization: { nonce: ⟦{ none: their ID tokens never carry it }⟧ }\n",
            "authorization: { nonce: ⟦{ optional: some of their ID tokens lack it }⟧ }\n",
        ],
        good: ["authorization: { nonce: required }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        // Without ID tokens the key has no effect, and K106 reports that.
        guard context.descriptor.canHaveIDToken else { return [] }
        let message: String
        switch context.descriptor.authorization.nonce {
        case .required: return []
        case .optional(let reason): message = "an ID token without the nonce is accepted: \(reason)"
        case .off(let reason): message = "no nonce binds the ID token to the sign-in: \(reason)"
        }
        return [finding(message, in: context, at: context.places.authorization.nonce.span)]
    }
}
