import CarnetDescriptors
import CarnetFoundation

struct ChangingSubject: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "T060", name: "changing-subject", severity: .warning,
        summary: "The subject is an e-mail address, a phone number or a user name, which can change owners.",
        rationale: """
            The subject identifies an account forever. A user can change an e-mail address, a phone number or a user \
            name, and another person can then get it. That person would be signed in to the first person's account.
            """,
        references: ["OpenID Connect Core 1.0, section 5.7", "OpenID Connect Core 1.0, section 2"],
        bad: [
            "profile: { claims: { subject: ⟦/email⟧ } }", "profile: { claims: { subject: [/id, ⟦/user/login⟧] } }",
            "profile: { claims: { subject: { root: /users, first: ⟦/email⟧ } } }",
            "profile: { claims: { subject: { root: /users, first: [/id, ⟦/login⟧] } } }",
            "profile: { derive: { subject: ⟦'{claim.email}'⟧ } }",
            "profile: { claims: { member: /user/login }, derive: { subject: ⟦'acme-{lower(claim.member)}'⟧ } }",
            """
            token: { response: { capture: { account: { from: /user/email, example: a@acme.example } } } }
            profile: { derive: { subject: ⟦'{token.account}'⟧ } }

            profile: { from: token, derive: { subject: ⟦"{jwt_claim(token.access_token, '/upn')}"⟧ } }
            """,
        ],
        good: """
            profile: { claims: { subject: [/id, /user/uuid] } }

            profile: { claims: { subject: { root: /users, where: { email: a@acme.example }, first: /id } } }

            profile: { claims: { team: /team/id, number: /no }, derive: { subject: '{claim.team}-{claim.number}' } }
            """)

    private static let changing: Set<String> = [
        "email", "mail", "email_address", "emailAddress", "userPrincipalName", "upn", "login", "username", "user_name",
        "userName", "preferred_username", "nickname", "screen_name", "handle", "phone", "phone_number", "mobile",
    ]

    let isReminder = true

    func check(_ context: LintContext) -> [Diagnostic] {
        let node = context.places.profile.claims["subject"].node
        let places = ["first", "each"].lazy.compactMap { node?.entry($0)?.value }.first ?? node
        let read = (places.map { $0.elements ?? [$0] } ?? []).compactMap { pointer -> Diagnostic? in
            let name = pointer.scalar?.text.split(separator: "/").last.map(String.init) ?? ""
            return Self.changing.contains(name) ? finding(name, in: context, at: pointer.span) : nil
        }
        guard let template = context.descriptor.profile.derive["subject"]?.template else { return read }
        let names = context.descriptor.members(readBy: template).filter(Self.changing.contains)
        let span = context.places.profile.derive["subject"].span
        return read + names.prefix(1).map { finding($0, in: context, at: span) }
    }

    private func finding(_ name: String, in context: LintContext, at span: SourceSpan) -> Diagnostic {
        finding(
            "the subject is \"\(name)\", which can change", in: context, at: span,
            help: "use the member that the provider documents as the identifier, such as /id")
    }
}

extension ProviderDescriptor {
    /// The names of the members that the values of a template come from.
    fileprivate func members(readBy template: Template) -> [String] {
        template.references.filter { $0.name != "subject" }.flatMap { value -> [String] in
            let pointers: [JSONPointer] =
                switch value.origin {
                case .claim: self.profile.claims[value.name].map { $0.elements?.pointers ?? $0.pointers } ?? []
                case .token: self.token.response.capture[value.name]?.pointers.pointers ?? []
                default: []
                }
            return pointers.isEmpty && value.origin == .claim ? [value.name] : pointers.compactMap(\.tokens.last)
        } + template.claimsOfTokens.compactMap(\.tokens.last)
    }
}
