import CarnetDescriptors
import CarnetFoundation

struct InputRefusesOwnValue: SingleValueRule {
    let explanation = DiagnosticExplanation(
        code: "K103",
        name: "input-refuses-own-value",
        summary: "An input's default, example or enum contains a value that the input itself does not allow.",
        rationale: """
            Most users get the default, and many copy the example. Both must match the type, pattern and enum of the \
            input.
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
        guard !context.descriptor.inputs.isEmpty else { return [] }
        let places = Dictionary(context.places.inputs.named().map { ($0.name, $0.value) }) { first, _ in first }
        return context.descriptor.inputs.items.flatMap { input -> [Diagnostic] in
            guard let place = places[input.name] else { return [] }
            return ([place.defaultValue.node, place.example.node] + place.allowed.elements).compactMap {
                value -> Diagnostic? in
                // A value that uses other inputs is checked when their values are known.
                guard let value, let text = value.scalar?.text, !text.holds(UInt8(ascii: "{")),
                    let reason = input.value.refusal(of: text)
                else {
                    return nil
                }
                let message = "the input \"\(input.name)\" does not allow \"\(text)\": \(reason)"
                return finding(message, in: context, at: value.span)
            }
        }
    }
}
