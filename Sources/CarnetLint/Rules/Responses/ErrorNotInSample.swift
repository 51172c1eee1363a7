import CarnetDescriptors

struct ErrorNotInSample: LintRule {
    let explanation = RuleExplanation(
        code: "T007",
        name: "error-not-in-sample",
        severity: .warning,
        summary: "The descriptor finds no error code in its own sample of an error response.",
        rationale: """
            The provider's own words are what helps a person when a sign-in fails. If the sample has them elsewhere than at \
            '/error', 'token.response.errors' has to say where.
            """,
        references: ["RFC 6749, section 5.2"],
        bad: ["samples: { ⟦error⟧: { code: 401, message: Bad credentials } }\n"],
        good: [
            "samples: { error: { error: invalid_grant, error_description: The code has expired } }\n",
            """
            token: { response: { errors: { error: /code, error_description: /message } } }
            samples: { error: { code: 401, message: Bad credentials } }

            """,
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let pointers = context.descriptor.token.response.errors.code.pointers
        guard let sample = context.descriptor.samples.error, sample.first(of: pointers) == nil else { return [] }
        let places = pointers.map(\.description).joined(separator: ", ")
        return [
            finding(
                "there is no error code at \(places) of samples.error",
                in: context,
                at: context.keySpan("samples", "error"),
                help: "say where it is: token: { response: { errors: { error: /... } } }"
            )
        ]
    }
}
