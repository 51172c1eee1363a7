import CarnetDescriptors

struct TextInputInURL: LintRule {
    let explanation = DiagnosticExplanation(
        code: "K104",
        name: "text-input-in-url",
        summary: "A URL uses an input of type text.",
        rationale: """
            A text input can contain a slash, a question mark or an @, and thereby select another host or add a \
            query. In URLs, use inputs of type identifier, hostname or host_path, which exclude these characters.
            """,
        references: ["RFC 3986, section 7.6"],
        bad: [
            "inputs: { tenant: { type: text } }\nissuer: https://id.acme.example/⟦{tenant}⟧\n"
        ],
        good: [
            "inputs: { tenant: { type: identifier } }\nissuer: https://id.acme.example/{tenant}\n",
            "inputs: { audience: { type: text } }\nauthorization: { parameters: { audience: '{audience}' } }\n",
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let inputs = context.descriptor.inputs.items
        // A secret has no place in a URL at all: see `SecretInputShown`.
        let texts = Set(inputs.filter { $0.value.type == .text && !$0.value.isSecret }.map(\.name))
        guard !texts.isEmpty else { return [] }
        return context.templateUses.filter(\.isURL).flatMap { use in
            texts.intersection(use.inputNames).sorted().map { name in
                finding(
                    "a URL uses the input \"\(name)\", which is of type text",
                    in: context,
                    at: context.span(of: use.place(of: name), in: use.node),
                    help: "declare it as identifier, hostname or host_path",
                    related: [context.related("declared here", at: context.places.inputs[name].type.span)]
                )
            }
        }
    }
}
