import CarnetDescriptors
import CarnetFoundation

struct PartsAsAlternatives: LintRule {
    let explanation = DiagnosticExplanation(
        "T014", name: "parts-as-alternatives", severity: .warning,
        summary: "A list of pointers has the parts of a name, and only the first with a value counts.",
        rationale: """
            The pointers of a claim are alternatives. If the response has the name in two parts, map them to \
            'given_name' and 'family_name': a missing 'name' is both of them.
            """,
        bad: """
            profile: { claims: { subject: /id, name: ⟦[/first_name, /last_name]⟧ } }

            profile:
              requests: [{ url: 'https://api.acme.example/me', claims: { name: ⟦[/person/givenName, /person/surname]⟧ } }]
            """,
        good: [
            "profile: { claims: { subject: /id, given_name: /first_name, family_name: /last_name } }",
            "profile: { claims: { subject: /id, name: [/name, /first_name], family_name: [/last_name, /surname] } }",
        ])

    static let given: Set = ["firstname", "givenname", "forename", "first", "given"]
    static let family: Set = ["lastname", "familyname", "surname", "last", "family"]

    func check(_ context: LintContext) -> [Diagnostic] {
        let profile = context.places.profile
        return (profile.claims.entries + profile.requests.all.flatMap { $0.claims.entries }).compactMap { claim in
            guard let elements = claim.value.elements, elements.count > 1 else { return nil }
            let words = elements.compactMap {
                $0.scalar.flatMap { JSONPointer($0.text)?.tokens.last?.lettersAndDigits }
            }
            guard words.contains(where: Self.given.contains), words.contains(where: Self.family.contains)
            else { return nil }
            return finding(
                "only the first of these that has a value is the \(claim.key)", in: context, at: claim.value.span,
                help: "map given_name and family_name instead; name is both, if it is missing")
        }
    }
}

extension String {
    /// The letters and digits in lower case: equal for `firstName`, `first_name` and `First-Name`.
    package var lettersAndDigits: String {
        String(decoding: utf8.filter(ASCII.isAlphanumeric), as: UTF8.self).lowercased()
    }
}
