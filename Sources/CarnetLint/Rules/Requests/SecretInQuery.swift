import CarnetDescriptors

struct SecretInQuery: LintRule {
    let explanation = RuleExplanation(
        code: "C010",
        name: "secret-in-query",
        severity: .warning,
        summary: "Codes, tokens or client secrets are sent in the query of a URL.",
        rationale: """
            A URL is written into the logs of every server and proxy on the way. The token endpoint takes POST with a body, \
            and a client's credentials must never be in the URL; a provider that cannot is rare, and the finding keeps it \
            in sight.
            """,
        references: ["RFC 6749, section 2.3.1", "RFC 6749, section 3.2", "RFC 9700, section 4.3"],
        bad: [
            "token: { method: ⟦GET⟧ }\n", "token: { body: ⟦query⟧ }\n", "revocation: { body: ⟦query⟧ }\n",
            "token: { query_parameters: [redirect_uri, ⟦code_verifier⟧] }\n",
            "token: { query_parameters: [⟦key⟧], parameters: { key: '{client.secret}' } }\n",
            "refresh: { query_parameters: [⟦client_assertion⟧] }\n",
        ],
        good: [
            "token: { method: POST, body: json, query_parameters: [redirect_uri] }\n",
            "token: { query_parameters: [app], parameters: { app: '{client.id}', key: '{client.secret}' } }\n",
        ]
    )

    private static let secrets: Set = [
        "code", "code_verifier", "client_secret", "client_assertion", "refresh_token", "token", "device_code",
        "subject_token", "actor_token", "assertion",
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
        let queried = requests.flatMap { section, rules -> [YAMLNode] in
            guard !rules.queryParameters.isEmpty else { return [] }
            return context.elements(in: section, "query_parameters").filter { node in
                guard let name = node.scalar?.text else { return false }
                return Self.secrets.contains(name) || rules.parameters[name]?.holdsSecret == true
            }
        }
        return queried.map {
            finding("a secret is put into the URL", in: context, at: $0.span, help: "leave it in the body")
        }
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

extension Template {
    /// Whether what is filled in is a secret, whatever the descriptor marks as one.
    fileprivate var holdsSecret: Bool { expressions.contains { $0.isSecret() } }
}
