import CarnetDescriptors
import CarnetFoundation

struct OptionalInputInURL: LintRule {
    let explanation = DiagnosticExplanation(
        "K105", name: "optional-input-in-url", summary: "A URL needs an input that is optional.",
        rationale: """
            Carnet leaves out a parameter whose optional input has no value. It cannot leave out a URL: without the \
            value, the endpoint would be missing.
            """,
        bad: "inputs: { tenant: { optional: true } }\nissuer: https://⟦{tenant}⟧.acme.example",
        good: [
            "inputs: { region: { default: eu, optional: true } }\nissuer: https://{region}.acme.example",
            """
            inputs: { region: { optional: true } }
            tables: { apis: { eu: api.eu.acme.example } }
            issuer: https://id.acme.example
            api: { base_url: "https://{map(region, 'apis')|api.acme.example}" }
            """,
            "inputs: { hint: { optional: true } }\nauthorization: { parameters: { login_hint: '{hint}' } }",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        let inputs = context.descriptor.inputs.items.filter { $0.value.isOptional && $0.value.defaultValue == nil }
        guard !inputs.isEmpty else { return [] }
        let optional = Set(inputs.map(\.name))
        return context.templateUses.filter(\.isURL).flatMap { use in
            Set(use.template.requiredInputNames).intersection(optional).sorted().map { name in
                finding(
                    "a URL needs the input \"\(name)\", which is optional", in: context,
                    at: context.span(of: use.place(of: name), in: use.node),
                    help: "give it a default, or remove 'optional'",
                    related: [context.related("declared here", at: context.places.inputs[name].keySpan)])
            }
        }
    }
}
