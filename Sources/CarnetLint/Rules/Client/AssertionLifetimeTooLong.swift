import CarnetDescriptors

struct AssertionLifetimeTooLong: SingleValueRule {
    let explanation = RuleExplanation(
        code: "C041",
        name: "assertion-lifetime-too-long",
        severity: .warning,
        summary: "The client's assertion is good for longer than five minutes.",
        rationale: """
            Each request has an assertion of its own, so one needs to live no longer than the request and the difference of \
            two clocks. Whoever finds an old one, in a log say, is the client until it ends.
            """,
        references: ["RFC 7523, section 3", "RFC 7521, section 8.2"],
        bad: [
            "client: { authentication: [private_key_jwt], assertion: { lifetime: ⟦3600⟧ } }\n",
            "jwt_bearer: { assertion: { lifetime: ⟦3600⟧ } }\n",
        ],
        good: ["client: { authentication: [private_key_jwt], assertion: { lifetime: 300 } }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        context.assertions.compactMap { section in
            guard let lifetime = section.rules.lifetime?.seconds, lifetime > 300 else { return nil }
            return finding(
                "an assertion is good for \(lifetime) s", in: context, at: section.place.lifetime.span,
                help: "60 is what is used if nothing is said")
        }
    }
}
