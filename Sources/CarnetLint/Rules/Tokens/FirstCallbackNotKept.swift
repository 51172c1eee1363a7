import CarnetDescriptors
import CarnetFoundation

struct FirstCallbackNotKept: LintRule {
    let explanation = DiagnosticExplanation(
        "T080", name: "first-callback-not-kept",
        summary: "'profile.callback' reads a value that is not kept, is required, or is secret.",
        rationale: """
            'profile.callback' reads a value that 'callback.capture' keeps. Such providers send it with the first \
            sign-in only. If 'callback.capture' does not keep the value, the name is always missing. If the value is \
            required, all later sign-ins fail. If the value is marked as secret, Carnet would show a part of a \
            secret as the name.
            """,
        references: ["OpenID Connect Core 1.0, section 5.1"],
        bad: """
            profile: { callback: { from: ⟦user⟧, name: /name } }

            callback: { capture: { ⟦user⟧: { pattern: '[{].*[}]', example: '{}' } } }
            profile: { callback: { from: user, name: /name } }

            callback: { capture: { user: { pattern: '[{].*[}]', example: '{}', optional: true, ⟦secret⟧: true } } }
            profile: { callback: { from: user, name: /name } }
            """,
        good: """
            callback: { capture: { user: { pattern: '[{].*[}]', example: '{"name":"Jane"}', optional: true } } }
            profile: { callback: { from: user, name: /name } }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        guard let name = context.descriptor.profile.callback?.capture else { return [] }
        let captures = context.descriptor.callback.capture
        guard let capture = captures[name] else {
            return findings(
                "\"\(name)\" is not a value of callback.capture", in: context,
                at: context.places.profile.callback.capture.span,
                help: context.nearest(to: name, in: captures.names).map { "did you mean '\($0)'?" }
                    ?? "keep it: callback: { capture: { \(name): { pattern: ..., example: ..., optional: true } } }")
        }
        if !capture.isOptional {
            let span = context.places.callback.capture[name].keySpan
            let message = "\"\(name)\" comes only with the first sign-in, but every sign-in must have it"
            return [finding(message, in: context, at: span, help: "add optional: true")]
        }
        guard capture.isSecret else { return [] }
        let span = context.places.callback.capture[name].isSecret.keySpan
        return findings(
            "Carnet would show a part of a secret as a name", in: context, at: span, help: "remove 'secret'")
    }
}
