import CarnetDescriptors

struct InputRefusesOwnValue: LintRule {
    let explanation = RuleExplanation(
        code: "K103",
        name: "input-refuses-own-value",
        summary: "An input's default, example or enum holds a value that the input itself refuses.",
        rationale: """
            The default is what most users get and the example is what they copy. Both have to fit the input's own type, \
            pattern and enum.
            """,
        bad: [
            "inputs: { domain: { type: hostname, example: ⟦'https://acme.example'⟧ } }\nissuer: https://{domain}\n",
            "inputs: { region: { enum: [eu, us], default: ⟦au⟧ } }\nissuer: https://{region}.acme.example\n",
            "inputs: { region: { enum: [eu, ⟦'u s'⟧] } }\nissuer: https://{region}.acme.example\n",
        ],
        good: [
            "inputs: { region: { enum: [eu, us], default: eu, pattern: '[a-z]+' } }\nissuer: https://{region}.acme.example\n"
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        context.descriptor.inputs.items.flatMap { input in
            var values = [("default", input.value.defaultValue), ("example", input.value.example)]
                .compactMap { key, value in value.map { ($0, context.span("inputs", input.name, key)) } }
            for (index, value) in input.value.allowed.enumerated() {
                values.append((value, context.span("inputs", input.name, "enum", String(index))))
            }
            return values.compactMap { value, span in
                input.value.refusal(of: value).map { reason in
                    finding("the input \"\(input.name)\" refuses \"\(value)\": \(reason)", in: context, at: span)
                }
            }
        }
    }
}
