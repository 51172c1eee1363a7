import CarnetDescriptors

struct TextInputInURL: LintRule {
    let explanation = RuleExplanation(
        code: "K104",
        name: "text-input-in-url",
        summary: "A URL uses an input of type text, or a secret input is where it can be seen.",
        rationale: """
            A text input can contain a slash, a question mark or an @, and thereby select another host or add a \
            query. In URLs, use inputs of type identifier, hostname or host_path, which exclude these characters. \
            Carnet redacts a secret input in the parameters and headers of its own requests. A URL, a request that \
            goes through the browser, and a default are shown and logged.
            """,
        references: ["RFC 3986, section 7.6"],
        bad: [
            "inputs: { tenant: { type: text } }\nissuer: https://id.acme.example/⟦{tenant}⟧\n",
            "inputs: { key: { secret: true } }\nauthorization: { parameters: { key: '⟦{key}⟧' } }\n",
        ],
        good: [
            "inputs: { tenant: { type: identifier } }\nissuer: https://id.acme.example/{tenant}\n",
            "inputs: { audience: { type: text } }\nauthorization: { parameters: { audience: '{audience}' } }\n",
            "inputs: { key: { secret: true } }\ntoken: { parameters: { key: '{key}' } }\n",
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let inputs = context.descriptor.inputs.items
        let secrets = Set(inputs.filter(\.value.isSecret).map(\.name))
        let texts = Set(inputs.filter { $0.value.type == .text }.map(\.name)).subtracting(secrets)
        let visible = context.templateUses.filter { !$0.hidesSecrets && !secrets.isDisjoint(with: $0.inputNames) }
        let seen = visible.flatMap { use in
            Set(use.inputNames).intersection(secrets).sorted().map { name in
                finding(
                    "the secret input \"\(name)\" can be seen here",
                    in: context,
                    at: context.span(of: use.place(of: name), in: use.node),
                    help: "use it in parameters or headers of token, refresh, exchange, connection, profile or api",
                    related: [context.related("declared here", at: context.places.inputs[name].isSecret.span)]
                )
            }
        }
        guard !texts.isEmpty else { return seen }
        return seen
            + context.templateUses.filter(\.isURL).flatMap { use in
                Set(use.inputNames).intersection(texts).sorted().map { name in
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
