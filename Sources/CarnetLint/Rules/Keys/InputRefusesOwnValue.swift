import CarnetDescriptors
import CarnetFoundation

struct InputRefusesOwnValue: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "K103", name: "input-refuses-own-value",
        summary: "An input's default, example or enum contains a value that the input itself does not allow.",
        rationale: """
            Most users get the default, and many copy the example. Both must match the type, pattern and enum of the \
            input.
            """,
        bad: [
            "inputs: { domain: { type: hostname, example: ⟦'https://acme.example'⟧ } }\nissuer: https://{domain}",
            "inputs: { region: { enum: [eu, us], default: ⟦au⟧ } }\nissuer: https://{region}.acme.example",
            "inputs: { region: { enum: [eu, ⟦'u s'⟧] } }\nissuer: https://{region}.acme.example",
            "inputs: { region: { default: ⟦'{region}'⟧ } }\nissuer: https://{region}.acme.example",
        ],
        good:
            "inputs: { region: { enum: [eu, us], default: eu, pattern: '[a-z]+' } }\nissuer: https://{region}.acme.example"
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        guard !context.descriptor.inputs.isEmpty else { return [] }
        let places = Dictionary(context.places.inputs.named().map { ($0.name, $0.value) }) { first, _ in first }
        return context.descriptor.inputs.items.flatMap { input -> [Diagnostic] in
            guard let place = places[input.name] else { return [] }
            let nodes = ([place.defaultValue.node, place.example.node] + place.allowed.elements).compactMap { $0 }
            return nodes.compactMap { node in
                guard let text = node.scalar?.text else { return nil }
                guard text.holds(UInt8(ascii: "{")) else {
                    return input.value.refusal(of: text).map { reason in
                        finding(
                            "the input \"\(input.name)\" does not allow \"\(text)\": \(reason)", in: context,
                            at: node.span)
                    }
                }
                return node.span == place.defaultValue.node?.span ? ofComputed(input, at: node, context) : nil
            }
        }
    }

    /// A default that uses other inputs, with their examples.
    private func ofComputed(_ input: Named<InputRules>, at node: YAMLNode, _ context: LintContext) -> Diagnostic? {
        // What the client id is, no descriptor knows.
        guard !input.value.isOfClient else { return nil }
        let descriptor = context.descriptor
        let given = descriptor.exampleInputs()
        if let value = descriptor.defaultInputs(given)[input.name] {
            return input.value.refusal(of: value).map { reason in
                finding(
                    "with the examples, the default of the input \"\(input.name)\" is \"\(value)\": \(reason)",
                    in: context, at: node.span)
            }
        }
        let open = descriptor.inputs.items.filter { $0.value.defaultValue == nil || $0.value.isOfClient }
        let all = given.merging(open.map { ($0.name, "x") }) { example, _ in example }
        guard !input.value.isOptional, descriptor.defaultInputs(all)[input.name] == nil else { return nil }
        return finding(
            "the default of the input \"\(input.name)\" never has a value", in: context, at: node.span,
            help: "use inputs that are not secret, and not this input itself")
    }
}
