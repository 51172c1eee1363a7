import CarnetDescriptors
import CarnetFoundation

struct SecretInputShown: LintRule {
    let explanation = DiagnosticExplanation(
        "K107", name: "secret-input-shown", summary: "A secret input is used where its value would be visible.",
        rationale: """
            Carnet redacts a secret input in the parameters and headers of its own requests. A URL, a request that \
            goes through the browser, and a default are shown and logged.
            """,
        references: ["RFC 6750, section 5.3"],
        bad: """
            inputs: { key: { secret: true } }
            authorization: { parameters: { key: '⟦{key}⟧' } }

            inputs: { key: { secret: true } }
            profile: { claims: { groups: { root: /all, where: { key: '⟦{key}⟧' }, each: /id } } }
            """,
        good: "inputs: { key: { secret: true } }\ntoken: { parameters: { key: '{key}' } }")

    func check(_ context: LintContext) -> [Diagnostic] {
        let secrets = Set(context.descriptor.inputs.items.filter(\.value.isSecret).map(\.name))
        guard !secrets.isEmpty else { return [] }
        return context.templateUses.filter { !$0.hidesSecrets }.flatMap { use in
            secrets.intersection(use.inputNames).sorted().map { name in
                finding(
                    "the secret input \"\(name)\" would be visible here", in: context,
                    at: context.span(of: use.place(of: name), in: use.node),
                    help:
                        "use it in parameters or headers of a request that no browser makes, such as token, profile or api",
                    related: [context.related("declared here", at: context.places.inputs[name].isSecret.span)])
            }
        }
    }
}
