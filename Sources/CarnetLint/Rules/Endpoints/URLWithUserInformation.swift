import CarnetDescriptors

struct URLWithUserInformation: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "E003", name: "url-with-user-information", summary: "A URL has a user name or password before its host.",
        rationale: """
            'https://acme.example@evil.example' goes to evil.example. Software and people disagree about such URLs, \
            and a password in a URL ends up in logs.
            """,
        references: ["RFC 3986, section 3.2.1", "RFC 9110, section 4.2.4"],
        bad: "issuer: https://⟦id.acme.example@⟧evil.example",
        good: "issuer: https://id.acme.example/users/@me")

    func check(_ context: LintContext) -> [Diagnostic] {
        context.urls.compactMap { url in
            guard let userInformation = url.userInformation else { return nil }
            return finding(
                "\(url.name) has user information before its host \"\(url.host)\"", in: context,
                at: context.span(of: userInformation, in: url.node), help: "remove everything up to the @")
        }
    }
}
