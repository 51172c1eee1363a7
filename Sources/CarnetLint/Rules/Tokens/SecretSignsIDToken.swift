import CarnetDescriptors
import CarnetFoundation

struct SecretSignsIDToken: SingleValueRule {
    let explanation = DiagnosticExplanation(
        code: "T051",
        name: "secret-signs-id-token",
        severity: .warning,
        summary: "ID tokens are signed with the client secret.",
        rationale: """
            Everyone who has the secret can make ID tokens, so it must never be in an app that is given to users. A \
            short secret can be guessed from one token. Use this only if the provider has no public keys, and give \
            the reason. The finding is a reminder. Suppress it with evidence that it still applies.
            """,
        references: ["OpenID Connect Core 1.0, section 10.1", "RFC 8725, section 3.5"],
        bad: ["id_token: { hs256: ⟦'https://acme.example/docs: web sign-in uses the channel secret'⟧ }\n"],
        good: ["id_token: { algorithms: [ES256] }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        // Where nobody has a secret, that is what is wrong.
        guard let reason = context.descriptor.idToken.hs256, context.descriptor.client.mayHaveSecret else { return [] }
        let message = "ID tokens are signed with the client secret: \(reason)"
        return [finding(message, in: context, at: context.places.idToken.hs256.span)]
    }
}
