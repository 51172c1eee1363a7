import CarnetDescriptors

struct BodyWithoutPOST: LintRule {
    let explanation = RuleExplanation(
        code: "C009",
        name: "body-without-post",
        summary: "A GET request is to have a body.",
        rationale: """
            A body on GET has no meaning, and servers and proxies drop it; with it the parameters are gone. Parameters of \
            a GET request go into the query, which is what 'body: query' says.
            """,
        references: ["RFC 9110, section 9.3.1", "RFC 6749, section 3.2"],
        bad: [
            "token: { method: GET, body: ⟦json⟧ }\n",
            "device: { token: { method: GET, body: ⟦json⟧ } }\n",
            "profile: { body: ⟦json⟧, parameters: { fields: name } }\n",
        ],
        good: ["profile: { method: POST, body: json }\n", "profile: { body: query, parameters: { fields: name } }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        let requests: [(section: [String], rules: RequestRules, method: RequestMethod)] = [
            (["token"], descriptor.token.request, .post), (["refresh"], descriptor.refresh.request, .post),
            (["client_credentials"], descriptor.clientCredentials.request, .post),
            (["token_exchange"], descriptor.tokenExchange.request, .post),
            (["jwt_bearer"], descriptor.jwtBearer.grant.request, .post),
            (["device"], descriptor.device.request, .post),
            (["device", "token"], descriptor.device.token.request, .post),
            (["revocation"], descriptor.revocation.request, .post),
            (["introspection"], descriptor.introspection.request, .post), (["logout"], descriptor.logout.request, .get),
            (["profile"], descriptor.profile.request, .get),
        ]
        return requests.compactMap { section, rules, method in
            guard let body = rules.body, body != .query, (rules.method ?? method) == .get else { return nil }
            return finding(
                "\(section.joined(separator: ".")) is a GET request and cannot have a body",
                in: context,
                at: context.document.span(of: section + ["body"]),
                help: "use 'method: POST' or 'body: query'"
            )
        }
    }
}
