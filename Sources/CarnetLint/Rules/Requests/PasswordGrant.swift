import CarnetDescriptors

struct PasswordGrant: SingleValueRule {
    let explanation = RuleExplanation(
        code: "C031",
        name: "password-grant",
        summary: "A request asks for a token with a user's password.",
        rationale: """
            The password grant makes every client a place where passwords are typed in, kept and stolen, and rules out a \
            second factor. OAuth 2.0 Security Best Current Practice forbids it, and Carnet makes no such request.
            """,
        references: ["RFC 9700, section 2.4"],
        bad: [
            "token: { parameters: { grant_type: ⟦password⟧ } }\n",
            "client_credentials: { grant_type: ⟦password⟧ }\n",
            "device: { token: { grant_type: ⟦password⟧ } }\n",
        ],
        good: ["client_credentials: { grant_type: client }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        context.requests.flatMap { request in
            let added = request.added.filter { $0.key == "grant_type" }.map(\.value)
            return (added + [request.grantType].compactMap { $0 }).filter { $0.scalar?.text == Self.grantType }.map {
                node in
                finding(
                    "the password grant is refused", in: context, at: node.span,
                    help: "use the code flow, or the device flow for programs without a browser")
            }
        }
    }

    static let grantType = "password"
}
