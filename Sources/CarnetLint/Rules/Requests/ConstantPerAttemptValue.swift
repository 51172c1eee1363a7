import CarnetDescriptors

struct ConstantPerAttemptValue: SingleValueRule {
    let explanation = RuleExplanation(
        code: "C004",
        name: "constant-per-attempt-value",
        summary: "A value that must be new for each sign-in is written into the descriptor.",
        rationale: """
            'state', 'nonce' and the proof key protect a sign-in because nobody else can know them. A constant is known to \
            everyone who can read the file, and matches every answer.
            """,
        references: ["RFC 6749, section 10.12", "RFC 7636, section 4.1", "OpenID Connect Core 1.0, section 15.5.2"],
        bad: [
            "authorization: { parameters: { ⟦nonce⟧: abc123 } }\n",
            "authorization: { parameters: { ⟦state⟧: acme } }\n",
            "token: { parameters: { ⟦code_verifier⟧: acme } }\n",
        ],
        good: [
            "token: { parameters: { state: '{callback.state}' } }\n",
            "authorization: { parameters: { nonce: '{random()}' } }\n",
            "authorization: { parameters: { prompt: consent } }\n",
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        // A profile has no parameters of a standard, so these are the provider's own.
        let added = context.requests.filter { $0.kind != .profile }.flatMap(\.added)
        return added.filter { entry in
            guard StandardParameter(rawValue: entry.key)?.isPerAttempt == true else { return false }
            let template = entry.value.scalar.flatMap { try? Template($0.text, in: .anywhere) }
            return template.map { $0.references.isEmpty && !$0.expressions.contains(where: \.isRandom) } ?? true
        }.map { entry in
            finding(
                "\"\(entry.key)\" is the same for every sign-in",
                in: context,
                at: entry.keySpan,
                help: "remove it; Carnet makes a new one each time"
            )
        }
    }
}
