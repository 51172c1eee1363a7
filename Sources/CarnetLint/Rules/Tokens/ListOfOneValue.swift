import CarnetDescriptors

struct ListOfOneValue: LintRule {
    let explanation = DiagnosticExplanation(
        "T063", name: "list-of-one-value", severity: .warning,
        summary: "A claim that has one value is mapped to a list.",
        rationale: """
            With 'each', a claim is the list of the values in all candidates. A user has one name and one e-mail address, \
            and a list is neither. To choose the right candidate, use 'where' and a pointer, or 'first'.
            """,
        references: ["OpenID Connect Core 1.0, section 5.1"],
        bad: """
            profile:
              requests: [{ url: 'https://api.acme.example/emails', claims: { ⟦email⟧: { each: /email } } }]

            profile: { claims: { subject: /id, ⟦email⟧: { root: /emails, each: /address } } }
            """,
        good: """
            profile:
              claims: { subject: { root: /ids, first: /id }, groups: { root: /groups, each: /name } }
              requests:
                - { url: 'https://api.acme.example/emails', where: { primary: true }, claims: { email: /email } }
                - { url: 'https://api.acme.example/teams', claims: { groups: { each: /name } } }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        let profile = context.places.profile
        let further = profile.requests.all.flatMap { $0.claims.entries }
        return (profile.claims.entries + further).compactMap { entry in
            // A subject is none of a further request at all, and as a list is an error.
            guard entry.key != "subject", entry.value.entries?.contains(where: { $0.key == "each" }) == true,
                ProfileRules.standardClaims.contains(where: { $0.name == entry.key })
            else { return nil }
            return finding(
                "\(entry.key) has one value", in: context, at: entry.keySpan,
                help: "select the element by 'where' and write 'first' or a pointer; or give the list another name")
        }
    }
}
