import CarnetDescriptors

struct DeleteElsewhere: LintRule {
    let explanation = RuleExplanation(
        code: "C051",
        name: "delete-elsewhere",
        summary: "A request that gets something is a DELETE.",
        rationale: """
            DELETE asks a server to take something away: with some providers it is how a token is revoked. Tokens and \
            profiles are asked for by GET or POST.
            """,
        references: ["RFC 9110, section 9.3.5"],
        bad: ["token: { method: ⟦DELETE⟧ }\n", "profile: { method: ⟦DELETE⟧ }\n"],
        good: ["revocation: { method: DELETE }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let sections = ["token", "refresh", "profile", "logout"].compactMap { context.node($0, "method") }
        let further = context.elements("profile", "requests").compactMap { $0.entry("method")?.value }
        return (sections + further).filter { $0.scalar?.text == RequestMethod.delete.rawValue }.map { node in
            finding("only a revocation is a DELETE", in: context, at: node.span, help: "use GET or POST")
        }
    }
}
