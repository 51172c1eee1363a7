import CarnetDescriptors

struct ProtectionOmitted: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "C005", name: "protection-omitted", summary: "'omit' leaves out a parameter that protects the sign-in.",
        rationale: """
            'omit' is for parameters that a server rejects. Every sign-in needs the state. Turn off PKCE and the \
            nonce with 'authorization.pkce' and 'authorization.nonce', which demand a reason.
            """,
        references: ["RFC 6749, section 10.12", "RFC 9700, section 2.1.1"],
        bad: [
            "authorization: { omit: [⟦state⟧] }",
            "authorization: { omit: [⟦code_challenge_method⟧, ⟦nonce⟧] }",
            "token: { omit: [⟦code_verifier⟧] }",
        ],
        good: "token: { omit: [redirect_uri] }")

    private static let helps = [
        "state": "remove it; every sign-in needs the state",
        "nonce": "use authorization: { nonce: { none: \"the reason\" } }",
    ]

    func check(_ context: LintContext) -> [Diagnostic] {
        context.requests.flatMap { request in
            request.omit.compactMap { element in
                // Without ID tokens there is no nonce to leave out.
                guard let name = element.scalar?.text, request.kind?.parameter(name)?.rule == .protected,
                    name != "nonce" || context.descriptor.canHaveIDToken || !context.isWhole
                else { return nil }
                return finding(
                    "\"\(name)\" cannot be left out", in: context, at: element.span,
                    help: Self.helps[name] ?? "use authorization: { pkce: { none: \"the reason\" } }")
            }
        }
    }
}
