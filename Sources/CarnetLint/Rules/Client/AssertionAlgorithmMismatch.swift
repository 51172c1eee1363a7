import CarnetDescriptors
import CarnetFoundation

struct AssertionAlgorithmMismatch: LintRule {
    let explanation = DiagnosticExplanation(
        "C040", name: "assertion-algorithm-mismatch",
        summary: "The algorithm of the client assertion fits none of the accepted methods.",
        rationale: """
            private_key_jwt signs with the client's own key: RS, PS, ES or EdDSA. client_secret_jwt computes an HMAC \
            with the secret: HS256, HS384 or HS512. An algorithm of the wrong family can never be used, so every \
            sign-in would fail.
            """,
        references: ["OpenID Connect Core 1.0, section 9", "RFC 7518, section 3.1"],
        bad: [
            "client: { authentication: [private_key_jwt], assertion: { algorithm: ⟦HS256⟧ } }",
            "client: { authentication: [client_secret_jwt], assertion: { algorithm: ⟦ES256⟧ } }",
        ],
        good: "client: { authentication: [private_key_jwt], assertion: { algorithm: ES256 } }")

    func check(_ context: LintContext) -> [Diagnostic] {
        let client = context.descriptor.client
        let methods = client.methods.filter(\.usesAssertion)
        guard let algorithm = client.assertion.algorithm, !methods.isEmpty,
            !methods.contains(where: { algorithm.isSymmetric == ($0 == .clientSecretJWT) })
        else { return [] }
        let names = methods.map(\.rawValue).joined(separator: ", ")
        return findings(
            "\(algorithm.rawValue) does not fit \(names)", in: context,
            at: context.places.client.assertion.algorithm.span,
            help: algorithm.isSymmetric ? "use an algorithm for keys, such as ES256" : "use HS256, HS384 or HS512")
    }
}
