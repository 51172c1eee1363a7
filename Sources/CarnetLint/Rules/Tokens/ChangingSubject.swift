import CarnetDescriptors

struct ChangingSubject: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "T060", name: "changing-subject", severity: .warning,
        summary: "The subject is an e-mail address, a phone number or a user name, which can change owners.",
        rationale: """
            The subject identifies an account forever. A user can change an e-mail address, a phone number or a user \
            name, and another person can then get it. That person would be signed in to the first person's account.
            """,
        references: ["OpenID Connect Core 1.0, section 5.7", "OpenID Connect Core 1.0, section 2"],
        bad: ["profile: { claims: { subject: ⟦/email⟧ } }", "profile: { claims: { subject: [/id, ⟦/user/login⟧] } }"],
        good: "profile: { claims: { subject: [/id, /user/uuid] } }")

    private static let changing: Set<String> = [
        "email", "mail", "email_address", "emailAddress", "userPrincipalName", "upn", "login", "username", "user_name",
        "userName", "preferred_username", "nickname", "screen_name", "handle", "phone", "phone_number", "mobile",
    ]

    let isReminder = true

    func check(_ context: LintContext) -> [Diagnostic] {
        guard let node = context.places.profile.claims["subject"].node else { return [] }
        return (node.elements ?? [node]).compactMap { pointer in
            guard let name = pointer.scalar?.text.split(separator: "/").last, Self.changing.contains(String(name))
            else { return nil }
            return finding(
                "the subject is \"\(name)\", which can change", in: context, at: pointer.span,
                help: "use the member that the provider documents as the identifier, such as /id")
        }
    }
}
