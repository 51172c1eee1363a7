import CarnetDescriptors

struct PasswordGrant: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "C031", name: "password-grant", summary: "A request sends a user's password to get a token.",
        rationale: """
            With the password grant, users type their passwords into every client, and every client can leak them. It \
            also prevents a second factor. OAuth 2.0 Security Best Current Practice forbids it, and Carnet does not \
            support it.
            """,
        references: ["RFC 9700, section 2.4"],
        bad: [
            "token: { parameters: { grant_type: ⟦password⟧ } }",
            "token: { grant_type: ⟦password⟧ }",
            "client_credentials: { grant_type: ⟦password⟧ }",
            "device: { token: { grant_type: ⟦password⟧ } }",
        ],
        good: "client_credentials: { grant_type: client }")

    func check(_ context: LintContext) -> [Diagnostic] {
        context.requests.flatMap { request in
            let added = request.added.filter { $0.key == "grant_type" }.map(\.value)
            let grantType = request.omittedNames.contains("grant_type") ? nil : request.grantType
            return (added + [grantType].compactMap { $0 }).filter { $0.scalar?.text == Self.grantType }.map {
                node in
                finding(
                    "Carnet does not support the password grant", in: context, at: node.span,
                    help: "use the code flow, or the device flow for programs without a browser")
            }
        }
    }

    static let grantType = "password"
}
