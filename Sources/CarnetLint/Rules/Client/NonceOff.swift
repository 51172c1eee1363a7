import CarnetDescriptors

struct NonceOff: SingleValueRule {
    let explanation = RuleExplanation(
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
            "id_token: { nonce: ⟦{ if_present: some of their ID tokens lack it }⟧ }\n",
        ],
        good: ["authorization: { nonce: required }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        var found: [Diagnostic] = []
        // Without ID tokens the key has no effect, and K106 reports that.
        if context.descriptor.canHaveIDToken, case .off(let reason) = context.descriptor.authorization.nonce {
            let message = "no nonce binds the ID token to the sign-in: \(reason)"
            found.append(finding(message, in: context, at: context.places.authorization.nonce.span))
        }
        if let reason = context.descriptor.idToken.nonce.ifPresent {
            let message = "an ID token without the nonce is accepted: \(reason)"
            found.append(finding(message, in: context, at: context.places.idToken.nonce.span))
        }
        return found
    }
}
