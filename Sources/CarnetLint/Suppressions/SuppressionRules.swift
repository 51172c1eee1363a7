import CarnetDescriptors

/// Findings about the comments that silence findings.
enum SuppressionRules {
    static let all = [withoutReason, unused]

    static let withoutReason = RuleExplanation(
        code: "D020",
        name: "suppression-without-reason",
        summary: "A comment that should suppress a finding names no code or gives no reason.",
        rationale: """
            Whoever reads the descriptor next must see why a rule does not apply here. A suppression is therefore a code, a \
            colon and a reason: '# carnet-lint-disable-next-line C015: their console accepts no IP address'.
            """,
        bad: [
            "⟦# carnet-lint-disable C015⟧\nscopes: { default: [openid] }\n",
            "⟦# carnet-lint-disable-next-line C015:⟧\nscopes: { default: [openid] }\n",
            "⟦# carnet-lint-disable-next-line: no code⟧\nscopes: { default: [openid] }\n",
        ],
        good: [
            """
            redirects:
              # carnet-lint-disable-next-line C015: their console accepts no IP address
              - http://localhost:{port}/callback

            """
        ]
    )

    static let unused = RuleExplanation(
        code: "D021",
        name: "unused-suppression",
        severity: .warning,
        summary: "A comment suppresses a finding that is not there.",
        rationale: "A suppression that has outlived its reason would hide the next mistake in the same place.",
        bad: [
            "⟦# carnet-lint-disable-next-line C015: their console accepts no IP address⟧\nscopes: { default: [openid] }\n"
        ],
        good: ["# Their console accepts no IP address.\nscopes: { default: [openid] }\n"]
    )
}
