import CarnetDescriptors
import CarnetFoundation

struct CallbackValueNotKept: LintRule {
    let explanation = DiagnosticExplanation(
        "K123", name: "callback-value-not-kept", severity: .warning,
        summary: "A request after the sign-in uses the code or the state of the callback.",
        rationale: """
            The code and the state belong to one sign-in, and Carnet does not keep them with the tokens. A later request \
            would be sent without the parameter. Carnet keeps the values of `callback.capture`, but a code is of no use \
            after the token request.
            """,
        bad: [
            "refresh: { parameters: { state: '⟦{callback.state}⟧' } }",
            "api: { headers: { X-Code: '⟦{callback.code}⟧' } }",
            "profile: { headers: { X-Code: '⟦{callback.code}⟧' } }",
            "callback: { rename: { code: ticket }, capture: { ⟦used⟧: { from: ticket, pattern: '.+', secret: true } } }",
            """
            exchange:
              long:
                url: https://id.acme.example/long
                after_refresh: true
                parameters: { token: '{token.access_token}', used: '⟦{callback.code}⟧' }
            """,
        ],
        good: [
            "token: { parameters: { state: '{callback.state}' } }",
            "refresh: { parameters: { state: '{random()}' } }",
            """
            callback: { capture: { device: { example: d1 } } }
            refresh: { parameters: { device: '{callback.device}' } }

            callback: { capture: { state: {} } }
            refresh: { parameters: { state: '{callback.state}' } }

            exchange:
              long:
                url: https://id.acme.example/long
                parameters: { token: '{token.access_token}', used: '{callback.code}' }
            """,
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        let (descriptor, places) = (context.descriptor, context.places)
        let repeated = descriptor.exchange.items.filter(\.value.repeatsAfterRefresh)
        let nodes = [
            places.refresh.node, places.revocation.node, places.introspection.node, places.api.node,
            places.resources.node, places.profile.node, places.connection.node,
        ]
        let later = (nodes + repeated.map { places.exchange[$0.name].node }).compactMap { $0?.span }
        let captures = descriptor.callback.capture
        let code = descriptor.callback.rename["code"] ?? "code"
        let ofCode = captures.items.filter { $0.parameter == code }.map { capture in
            finding(
                "\"\(capture.name)\" keeps the code after the sign-in", in: context,
                at: places.callback.capture[capture.name].keySpan,
                help: "a code works once; the requests of the sign-in have it as {callback.code}")
        }
        let uses = context.templateUses.flatMap { use -> [Diagnostic] in
            guard use.template.isLate, !use.template.source.contains("|"),
                later.contains(where: { $0.contains(use.node.span) })
            else { return [] }
            return use.template.references.filter {
                $0.origin == .callback && TemplateOrigin.callback.builtInNames.contains($0.name)
                    && !captures.contains($0.name)
            }.prefix(1).map { value in
                finding(
                    "the value \"\(value)\" is not kept after the sign-in", in: context,
                    at: context.span(of: use.place(of: value), in: use.node),
                    help: value.name == "code"
                        ? "a code works once, in the token request; remove the parameter or header"
                        : "keep a value of the callback with callback.capture, or make a new one: {random()}")
            }
        }
        return ofCode + uses
    }
}
