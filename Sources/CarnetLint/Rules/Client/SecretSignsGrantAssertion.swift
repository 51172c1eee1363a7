import CarnetDescriptors
import CarnetFoundation

struct SecretSignsGrantAssertion: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "C045", name: "secret-signs-grant-assertion",
        summary: "The assertion of the JWT bearer grant is signed with a secret.",
        rationale: """
            The client signs an assertion that requests a token with its key. The server knows a secret, too, so a \
            signature with it proves nothing. No known server accepts it, and Carnet signs with a key only.
            """,
        references: ["RFC 7523, section 3", "RFC 8725, section 3.1"],
        bad: "jwt_bearer: { assertion: { algorithm: ⟦HS256⟧ } }",
        good: "jwt_bearer: { assertion: { algorithm: RS256 } }")

    func check(_ context: LintContext) -> [Diagnostic] {
        guard let algorithm = context.descriptor.jwtBearer.assertion.rules.algorithm, algorithm.isSymmetric
        else { return [] }
        return findings(
            "\(algorithm.rawValue) does not sign with a key", in: context,
            at: context.places.jwtBearer.assertion.rules.algorithm.span,
            help: "use an algorithm for keys, such as ES256")
    }
}
