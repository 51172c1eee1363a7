import CarnetDescriptors

struct SilentPrompt: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "C060", name: "silent-prompt", summary: "Every sign-in sends prompt=none.",
        rationale: """
            'prompt=none' forbids the provider to show a page. A user without a session at the provider gets \
            'login_required' and can never sign in. If 'prompt' has another value besides 'none', every provider returns an error.
            """,
        references: ["OpenID Connect Core 1.0, section 3.1.2.1"],
        bad: [
            "authorization: { parameters: { prompt: ⟦none⟧ } }",
            "authorization: { offline_parameters: { prompt: ⟦none consent⟧ } }",
        ],
        good: "authorization: { reconsent_parameters: { prompt: consent } }")

    func check(_ context: LintContext) -> [Diagnostic] {
        let rules = context.places.authorization
        return [rules.parameters, rules.offlineParameters, rules.reconsentParameters].compactMap { parameters in
            let prompt = parameters["prompt"]
            guard prompt.text?.split(separator: " ").contains("none") == true else { return nil }
            return finding(
                "with prompt=none, the provider cannot show its sign-in page", in: context, at: prompt.span,
                help: "remove 'none'")
        }
    }
}
