import CarnetDescriptors

struct FirstCallbackNotKept: LintRule {
    let explanation = RuleExplanation(
        code: "T080",
        name: "first-callback-not-kept",
        summary: "The name of the first callback is read from a value that is not kept, or that each must bring.",
        rationale: """
            'profile.callback' reads what 'callback.capture' keeps. A value that is not kept is never there, and one that is \
            not optional is demanded of each sign-in, while such a provider sends it with the first one alone: all later \
            sign-ins would fail. One that is marked as secret would be shown as a name.
            """,
        references: ["OpenID Connect Core 1.0, section 5.1"],
        bad: [
            "profile: { callback: { from: ⟦user⟧, name: /name } }\n",
            """
            callback: { capture: { ⟦user⟧: { pattern: '[{].*[}]', example: '{}' } } }
            profile: { callback: { from: user, name: /name } }

            """,
            """
            callback: { capture: { user: { pattern: '[{].*[}]', example: '{}', optional: true, ⟦secret⟧: true } } }
            profile: { callback: { from: user, name: /name } }

            """,
        ],
        good: [
            """
            callback: { capture: { user: { pattern: '[{].*[}]', example: '{"name":"Jane"}', optional: true } } }
            profile: { callback: { from: user, name: /name } }

            """
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        guard let name = context.descriptor.profile.callback?.capture else { return [] }
        let captures = context.descriptor.callback.capture
        guard let capture = captures[name] else {
            return [
                finding(
                    "\"\(name)\" is no value of callback.capture",
                    in: context,
                    at: context.places.profile.callback.capture.span,
                    help: context.nearest(to: name, in: captures.names).map { "did you mean '\($0)'?" }
                        ?? "keep it: callback: { capture: { \(name): { pattern: ..., example: ..., optional: true } } }"
                )
            ]
        }
        if !capture.isOptional {
            let span = context.places.callback.capture[name].keySpan
            let message = "\"\(name)\" comes with the first sign-in alone, and is demanded of all"
            return [finding(message, in: context, at: span, help: "add optional: true")]
        }
        guard capture.isSecret else { return [] }
        let span = context.places.callback.capture[name].isSecret.keySpan
        return [finding("a part of a secret would be shown as a name", in: context, at: span, help: "remove 'secret'")]
    }
}
