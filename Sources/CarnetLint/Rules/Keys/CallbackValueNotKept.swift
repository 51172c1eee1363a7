import CarnetDescriptors

struct CallbackValueNotKept: LintRule {
    let explanation = DiagnosticExplanation(
        "K123", name: "callback-value-not-kept", severity: .warning,
        summary: "A request after the sign-in uses the code or the state of the callback.",
        rationale: """
            The code and the state belong to one sign-in, and Carnet does not keep them with the tokens. A later request \
            would be sent without the parameter. Carnet keeps the values of `callback.capture`.
            """,
        bad: [
            "refresh: { parameters: { state: '⟦{callback.state}⟧' } }",
            "api: { headers: { X-Code: '⟦{callback.code}⟧' } }",
            "profile: { headers: { X-Code: '⟦{callback.code}⟧' } }",
        ],
        good: [
            "token: { parameters: { state: '{callback.state}' } }",
            "refresh: { parameters: { state: '{random()}' } }",
            """
            callback: { capture: { device: { example: d1 } } }
            refresh: { parameters: { device: '{callback.device}' } }
            """,
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        let places = context.places
        let later = [
            places.refresh.node, places.revocation.node, places.introspection.node, places.api.node,
            places.resources.node, places.profile.node, places.connection.node,
        ].compactMap { $0?.span }
        return context.templateUses.flatMap { use -> [Diagnostic] in
            guard use.template.isLate, !use.template.source.contains("|"),
                later.contains(where: { $0.contains(use.node.span) })
            else { return [] }
            return use.template.references.filter {
                $0.origin == .callback && TemplateOrigin.callback.builtInNames.contains($0.name)
            }.prefix(1).map { value in
                finding(
                    "the value \"\(value)\" is not kept after the sign-in", in: context,
                    at: context.span(of: use.place(of: value), in: use.node),
                    help: value.name == "code"
                        ? "a code works once, in the token request; remove the parameter or header"
                        : "keep a value of the callback with callback.capture, or make a new one: {random()}")
            }
        }
    }
}
