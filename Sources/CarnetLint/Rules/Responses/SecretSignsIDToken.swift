import CarnetDescriptors

struct SecretSignsIDToken: SingleValueRule {
    let explanation = RuleExplanation(
        code: "T051",
        name: "secret-signs-id-token",
        severity: .warning,
        summary: "ID tokens are signed with the client's secret.",
        rationale: """
            Whoever has the secret can make ID tokens, so it must never be in an application that is given to others, and \
            a short one can be guessed from a single token. It has to be so only where a provider has no public keys; the \
            descriptor says why. The finding keeps the weakness in sight; suppress it with the evidence that it still holds.
            """,
        references: ["OpenID Connect Core 1.0, section 10.1", "RFC 8725, section 3.5"],
        bad: ["id_token: { hs256: ⟦'https://acme.example/docs: web sign-in uses the channel secret'⟧ }\n"],
        good: ["id_token: { algorithms: [ES256] }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        // Where nobody has a secret, that is what is wrong.
        guard let reason = context.descriptor.idToken.hs256, context.descriptor.client.mayHaveSecret else { return [] }
        let message = "ID tokens are signed with the client's secret: \(reason)"
        return [finding(message, in: context, at: context.places.idToken.hs256.span)]
    }
}
