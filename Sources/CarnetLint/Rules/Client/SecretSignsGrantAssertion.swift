import CarnetDescriptors

struct SecretSignsGrantAssertion: SingleValueRule {
    let explanation = RuleExplanation(
        code: "C045",
        name: "secret-signs-grant-assertion",
        summary: "The assertion of the JWT bearer grant is to be signed with a secret.",
        rationale: """
            An assertion that asks for a token is signed with the client's key. A secret would sign it with what the server \
            knows too, and no server that has the grant is known to take that; Carnet signs it with a key alone.
            """,
        references: ["RFC 7523, section 3", "RFC 8725, section 3.1"],
        bad: ["jwt_bearer: { assertion: { algorithm: ⟦HS256⟧ } }\n"],
        good: ["jwt_bearer: { assertion: { algorithm: RS256 } }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        guard let algorithm = context.descriptor.jwtBearer.assertion.rules.algorithm, algorithm.isSymmetric else {
            return []
        }
        return [
            finding(
                "\(algorithm.rawValue) does not sign with a key", in: context,
                at: context.places.jwtBearer.assertion.rules.algorithm.span, help: "a key signs with ES256, say")
        ]
    }
}
