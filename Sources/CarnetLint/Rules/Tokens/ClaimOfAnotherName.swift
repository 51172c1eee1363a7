import CarnetDescriptors
import CarnetFoundation

struct ClaimOfAnotherName: LintRule {
    let explanation = DiagnosticExplanation(
        "T062", name: "claim-of-another-name", severity: .warning,
        summary: "A claim of the profile has another name than Carnet's for this claim.",
        rationale: """
            The names of the claims are 'subject', 'name', 'given_name', 'family_name', 'username', 'email', \
            'email_verified', 'picture' and 'locale'. Under any other name, a claim is an additional claim of this \
            provider, which a host can only read by this name. If the descriptor maps 'preferred_username', \
            'profile.username' stays empty.
            """,
        references: ["OpenID Connect Core 1.0, section 5.1"],
        bad: [
            "profile: { claims: { subject: /id, ⟦preferred_username⟧: /login } }",
            "profile: { claims: { subject: /id, ⟦first_name⟧: /first } }",
            "profile: { requests: [{ url: 'https://api.acme.example/mail', claims: { ⟦emial⟧: /email } }] }",
        ],
        good: [
            "profile: { claims: { subject: /id, username: /login, email: /email, email_verified_at: /verified } }",
            "profile: { claims: { subject: /id, emails: /emails, pictures: /avatars, avatar: /avatar/id } }",
            "profile: { claims: { subject: /id, emails_verified: { root: /emails, each: /verified } } }",
            "profile: { claims: { subject: /id, object: /object, vanity_name: /vanity, email: /mail, emial: /raw } }",
        ])

    private static let standard = ProfileRules.standardClaims
    /// What other libraries call them.
    private static let elsewhere = [
        "firstname": "given_name", "lastname": "family_name", "surname": "family_name", "fullname": "name",
        "displayname": "name", "avatarurl": "picture", "pictureurl": "picture", "imageurl": "picture",
    ]

    func check(_ context: LintContext) -> [Diagnostic] {
        let profile = context.places.profile
        let entries = profile.claims.entries + profile.requests.all.flatMap { $0.claims.entries }
        let mapped = Set(entries.map(\.key)).union(context.descriptor.profile.derive.names)
        return entries.compactMap { entry in
            let name = entry.key
            // A list is no standard claim.
            guard !Self.standard.contains(where: { $0.name == name }), entry.value.node(at: ["each"]) == nil
            else { return nil }
            let same = Self.standard.first { $0.member == name }?.name ?? Self.elsewhere[name.lettersAndDigits]
            // Nobody misspells the first letter, but `token_name` is near `given_name`.
            let similar = Self.standard.map(\.name).filter { $0.utf8.first == name.utf8.first }
            guard let meant = same ?? nearestName(to: name, in: similar), !mapped.contains(meant),
                // More words make another claim: `email_verified_at` is a time, and `emails` is a list.
                same != nil || !name.hasPrefix(meant + "_") && !name.hasSuffix("_" + meant) && name != meant + "s"
            else { return nil }
            return finding(
                "\"\(name)\" is a claim of the provider's own; Carnet's name is \"\(meant)\"", in: context,
                at: entry.keySpan, help: "write \(meant)")
        }
    }
}
