import CarnetDescriptors

struct BodyWithoutPOST: LintRule {
    let explanation = DiagnosticExplanation(
        "C009", name: "body-without-post", summary: "A GET request has a body.",
        rationale: """
            A body has no meaning in a GET request. Servers and proxies drop it, and the parameters with it. Use \
            'body: query' to send the parameters of a GET request in the query.
            """,
        references: ["RFC 9110, section 9.3.1", "RFC 6749, section 3.2"],
        bad: [
            "token: { method: GET, body: ⟦json⟧ }",
            "device: { token: { method: GET, body: ⟦json⟧ } }",
            "profile: { body: ⟦json⟧, parameters: { fields: name } }",
        ],
        good: ["profile: { method: POST, body: json }", "profile: { body: query, parameters: { fields: name } }"])

    func check(_ context: LintContext) -> [Diagnostic] {
        context.requests.compactMap { request in
            guard let kind = request.kind, let places = request.rules, places.body.isWritten,
                let rules = context.descriptor.rules(of: kind), let body = rules.body, body != .query,
                (rules.method ?? kind.method) == .get
            else { return nil }
            return finding(
                "\(kind.section) is a GET request and cannot have a body", in: context, at: places.body.span,
                help: "use 'method: POST' or 'body: query'")
        }
    }
}
