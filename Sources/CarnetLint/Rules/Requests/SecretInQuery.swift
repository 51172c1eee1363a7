import CarnetDescriptors

struct SecretInQuery: LintRule {
    let explanation = RuleExplanation(
        code: "C010",
        name: "secret-in-query",
        severity: .warning,
        summary: "Codes, tokens or client secrets are sent in the query of a URL.",
        rationale: """
            A URL is written into the logs of every server and proxy on the way. The token endpoint takes POST with a body; \
            a provider that cannot is rare, and the finding keeps it in sight.
            """,
        references: ["RFC 6749, section 2.3.1", "RFC 6749, section 3.2"],
        bad: [
            "token: { method: ⟦GET⟧ }\n", "token: { body: ⟦query⟧ }\n", "revocation: { body: ⟦query⟧ }\n",
            "token: { query_parameters: [redirect_uri, ⟦code_verifier⟧] }\n",
        ],
        good: ["token: { method: POST, body: json, query_parameters: [redirect_uri] }\n"]
    )

    private static let secrets: Set = [
        "code", "code_verifier", "client_secret", "refresh_token", "token", "device_code", "subject_token",
        "actor_token", "assertion",
    ]

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        let requests = [
            (["token"], descriptor.token.request), (["refresh"], descriptor.refresh.request),
            (["client_credentials"], descriptor.clientCredentials.request), (["device"], descriptor.device.request),
            (["token_exchange"], descriptor.tokenExchange.request),
            (["jwt_bearer"], descriptor.jwtBearer.grant.request),
            (["device", "token"], descriptor.device.token.request),
            (["revocation"], descriptor.revocation.request),
            (["introspection"], descriptor.introspection.request),
        ]
        let queried = requests.map(\.0).flatMap { context.elements(in: $0, "query_parameters") }
            .filter { Self.secrets.contains($0.scalar?.text ?? "") }
            .map { finding("a secret is put into the URL", in: context, at: $0.span, help: "leave it in the body") }
        return queried
            + requests.compactMap { section, rules in
                let key: String
                if rules.body == .query {
                    key = "body"
                } else if rules.method == .get, rules.body == nil {
                    key = "method"
                } else {
                    return nil
                }
                return finding(
                    "the \(section.joined(separator: ".")) request puts its secrets into the URL",
                    in: context,
                    at: context.document.span(of: section + [key]),
                    help: "use POST with a form or json body, if the provider has it"
                )
            }
    }
}
