import CarnetDescriptors

struct ProtectionOmitted: SingleValueRule {
    let explanation = RuleExplanation(
        code: "C005",
        name: "protection-omitted",
        summary: "'omit' takes out a parameter that protects the sign-in.",
        rationale: """
            'omit' is for parameters that a server chokes on. The state is needed always; the proof key and the nonce are \
            switched off under 'authorization.pkce' and 'authorization.nonce', with a reason, so that it can be seen.
            """,
        references: ["RFC 6749, section 10.12", "RFC 9700, section 2.1.1"],
        bad: [
            "authorization: { omit: [⟦state⟧] }\n",
            "authorization: { omit: [⟦code_challenge_method⟧, ⟦nonce⟧] }\n",
            "token: { omit: [⟦code_verifier⟧] }\n",
        ],
        good: ["token: { omit: [redirect_uri] }\n"]
    )

    private static let helps = [
        "state": "remove it; no answer can be trusted without the state",
        "nonce": "use authorization: { nonce: { off: \"the reason\" } }",
    ]

    func check(_ context: LintContext) -> [Diagnostic] {
        context.requests.flatMap { request in
            request.omit.compactMap { element in
                guard let name = element.scalar?.text, request.kind?.parameter(name)?.rule == .protected else {
                    return nil
                }
                return finding(
                    "\"\(name)\" cannot be left out",
                    in: context,
                    at: element.span,
                    help: Self.helps[name] ?? "use authorization: { pkce: { off: \"the reason\" } }"
                )
            }
        }
    }
}
