import CarnetDescriptors

struct TextInputInURL: LintRule {
    let explanation = RuleExplanation(
        code: "K104",
        name: "text-input-in-url",
        summary: "An input of type text is used in a URL.",
        rationale: """
            A text may hold a slash, a question mark or an @, and with them another host or a query. Inputs in URLs are of \
            the type identifier or hostname, which cannot.
            """,
        references: ["RFC 3986, section 7.6"],
        bad: ["inputs: { tenant: { type: text } }\nissuer: https://id.acme.example/⟦{tenant}⟧\n"],
        good: [
            "inputs: { tenant: { type: identifier } }\nissuer: https://id.acme.example/{tenant}\n",
            "inputs: { audience: { type: text } }\nauthorization: { parameters: { audience: '{audience}' } }\n",
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let texts = Set(context.descriptor.inputs.items.filter { $0.value.type == .text }.map(\.name))
        guard !texts.isEmpty else { return [] }
        return context.templateUses.filter(\.isURL).flatMap { use in
            Set(use.inputNames).intersection(texts).sorted().map { name in
                finding(
                    "the input \"\(name)\" is a free text and stands in a URL",
                    in: context,
                    at: context.span(of: use.place(of: name), in: use.node),
                    help: "declare it as identifier or hostname",
                    related: [context.related("declared here", at: context.places.inputs[name].type.span)]
                )
            }
        }
    }
}
