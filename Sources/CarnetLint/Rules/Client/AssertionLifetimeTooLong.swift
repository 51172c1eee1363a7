import CarnetDescriptors

struct AssertionLifetimeTooLong: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "C041", name: "assertion-lifetime-too-long", severity: .warning,
        summary: "The client assertion is valid for longer than five minutes.",
        rationale: """
            Each request has its own assertion, so an assertion needs to be valid only for the duration of the \
            request and the difference between two clocks. Until an assertion expires, everyone who finds it, for \
            example in a log, can act as the client.
            """,
        references: ["RFC 7523, section 3", "RFC 7521, section 8.2"],
        bad: [
            "client: { authentication: [private_key_jwt], assertion: { lifetime: ⟦3600⟧ } }",
            "jwt_bearer: { assertion: { lifetime: ⟦3600⟧ } }",
        ],
        good: "client: { authentication: [private_key_jwt], assertion: { lifetime: 300 } }")

    let isReminder = true

    func check(_ context: LintContext) -> [Diagnostic] {
        context.assertions.compactMap { section in
            guard let lifetime = section.rules.lifetime?.seconds, lifetime > 300 else { return nil }
            return finding(
                "the assertion is valid for \(lifetime) seconds", in: context, at: section.place.lifetime.span,
                help: "the default is 60")
        }
    }
}
