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
        let places = context.places
        let requests = RequestKind.allCases.filter { $0 != .revocation }.compactMap(places.rules(of:))
        return (requests + places.profile.requests.all.map(\.request)).map(\.method)
            .filter { $0.text == RequestMethod.delete.rawValue }
            .map { finding("only a revocation is a DELETE", in: context, at: $0.span, help: "use GET or POST") }
    }
}
