import CarnetDescriptors

/// Findings about the comments that silence findings.
enum SuppressionDiagnostics {
    static let all = [withoutReason, unused]

    static let withoutReason = DiagnosticExplanation(
        "D020", name: "suppression-without-reason",
        summary: "A comment that should suppress a finding has no code or no reason.",
        rationale: """
            The next reader must see why a rule does not apply here. A suppression therefore consists of a code, a \
            colon and a reason: '# carnet-lint-disable-next-line C015: their console accepts no IP address'.
            """,
        bad: [
            "⟦# carnet-lint-disable C015⟧\nscopes: { default: [openid] }",
            "⟦# carnet-lint-disable-next-line C015:⟧\nscopes: { default: [openid] }",
            "⟦# carnet-lint-disable-next-line: no code⟧\nscopes: { default: [openid] }",
        ],
        good: """
            redirects:
              # carnet-lint-disable-next-line C015: their console accepts no IP address
              - http://localhost:{port}/callback
            """)

    static let unused = DiagnosticExplanation(
        "D021", name: "unused-suppression", severity: .warning,
        summary: "A comment suppresses a finding that does not exist or cannot be suppressed.",
        rationale: """
            An outdated suppression would hide the next mistake in the same place. Only rules about the meaning of a \
            descriptor can be suppressed, and only where the engine does what the file says.
            """,
        bad:
            "⟦# carnet-lint-disable-next-line C015: their console accepts no IP address⟧\nscopes: { default: [openid] }",
        good: "# Their console accepts no IP address.\nscopes: { default: [openid] }")
}
