import CarnetDescriptors

struct UnredactedSample: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "T006", name: "unredacted-sample", summary: "A sample contains a value that looks like a real token.",
        rationale: """
            Samples are real responses without their secrets. They are public with the descriptor, and the sandbox \
            returns them. A refresh token in a sample may be valid for years. An example of a JWT has no signature: it \
            ends with a dot, or with '.redacted'.
            """,
        references: ["RFC 9700, section 4.14"],
        bad: [
            "samples: { token: { access_token: ⟦8Hx2kQ9vLm4Rt7YwZ1pN5sB3⟧, token_type: Bearer } }",
            "samples: { userinfo: { sub: '1', session: ⟦ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9v⟧ } }",
        ],
        good: [
            "samples: { token: { access_token: redacted-access-token, token_type: Bearer, refresh_token: '<token>' } }",
            "token: { response: { fields: { id_token: /none } } }\n"
                + "samples: { token: { access_token: redacted, token_type: Bearer, jwt: eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1LTEifQ. } }",
        ])

    private static let tokenFields: Set<String> = [
        "access_token", "refresh_token", "id_token", "token", "client_secret", "code", "session_token",
    ]

    func check(_ context: LintContext) -> [Diagnostic] {
        var found: [Diagnostic] = []
        context.places.samples.node?.visitScalars(of: "samples") { name, scalar, span in
            let isToken =
                Self.tokenFields.contains(name) && SecretText.isRandom(scalar.text)
                && !SecretText.isUnsignedToken(scalar.text)
            guard isToken || SecretText.isCredential(scalar.text), !SecretText.isRedacted(scalar.text) else { return }
            found += findings(
                "this looks like a real token", in: context, at: span,
                help: "replace it by a word such as redacted-\(name.replacing("_", with: "-")), and revoke it"
                    + (scalar.text.hasPrefix("eyJ") ? "; an example JWT has no signature and ends with a dot" : ""))
        }
        return found
    }
}
