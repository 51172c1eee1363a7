import CarnetDescriptors

struct ReservedParameter: SingleValueRule {
    let explanation = RuleExplanation(
        code: "C003",
        name: "reserved-parameter",
        summary:
            "A descriptor's parameters contain one that Carnet sends itself, or one that changes how the answer comes.",
        rationale: """
            The parameters of the protocol are made for each request and checked against its answer. A second value beside \
            them is forbidden by RFC 6749, and one in their place would break the check that they exist for. \
            'response_mode', 'request' and 'request_uri' make the answer, or the request, something else than what is \
            expected.
            """,
        references: ["RFC 6749, section 3.1", "RFC 6749, section 3.2", "RFC 9700, section 2.1"],
        bad: [
            "authorization: { parameters: { ⟦response_type⟧: token, prompt: login } }\n",
            "authorization: { offline_parameters: { ⟦scope⟧: offline_access } }\n",
            "token: { parameters: { ⟦grant_type⟧: authorization_code } }\n",
            "refresh: { parameters: { ⟦refresh_token⟧: none } }\n",
            "authorization: { parameters: { ⟦response_mode⟧: form_post } }\n",
            "scopes: { extra: { ⟦scope⟧: [read] } }\n",
        ],
        good: [
            """
            authorization:
              parameters: { audience: https://api.acme.example, prompt: select_account }
            token:
              parameters: { audience: https://api.acme.example }

            """
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let scopes = context.entries("scopes", "extra").compactMap { entry in
            finding(for: entry, section: ["authorization"], reserved: ProtocolParameters.authorization, context)
        }
        return scopes
            + context.requests.flatMap { request in
                request.added.compactMap { entry in
                    finding(for: entry, section: request.path, reserved: request.parameters, context)
                }
            }
    }

    private func finding(
        for entry: YAMLEntry, section: [String], reserved: Set<String>, _ context: LintContext
    ) -> Diagnostic? {
        if ProtocolParameters.perAttempt.contains(entry.key) { return nil }
        // That one is refused for a better reason.
        if entry.key == "grant_type", entry.value.scalar?.text == PasswordGrant.grantType { return nil }
        if reserved.contains(entry.key) {
            let help = entry.key == "scope" ? "list scopes under 'scopes'" : "remove it; to leave it out, use 'omit'"
            let message = "\"\(entry.key)\" is sent by Carnet itself"
            return finding(message, in: context, at: entry.keySpan, help: help)
        }
        if section == ["authorization"], ProtocolParameters.answerChanging.contains(entry.key) {
            let message = "\"\(entry.key)\" would make the answer one that is not expected"
            return finding(message, in: context, at: entry.keySpan, help: "remove it")
        }
        return nil
    }
}
