import CarnetDescriptors

struct UnknownProtocolParameter: LintRule {
    let explanation = RuleExplanation(
        code: "C007",
        name: "unknown-protocol-parameter",
        severity: .warning,
        summary: "A key is about a parameter that is never sent in this message.",
        rationale: "Nothing would change, although the descriptor says so. Most often the name is misspelled.",
        bad: [
            "token: { rename: { ⟦clientid⟧: app_id } }\n",
            "authorization: { omit: [⟦nonse⟧] }\n",
            "token: { omit: [⟦response_type⟧] }\n",
            "callback: { rename: { ⟦authcode⟧: auth_code } }\n",
            "token: { query_parameters: [⟦redirect_url⟧] }\n",
            "authorization: { encode: { ⟦scopes⟧: raw } }\n",
        ],
        good: [
            "token: { rename: { client_id: app_id } }\n",
            "token: { omit: [redirect_uri] }\n",
            "authorization: { rename: { login_hint: username }, encode: { resource: raw } }\n",
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let messages = ProtocolParameters.requests + [("callback", ProtocolParameters.callback, [])]
        return messages.flatMap { section, sent, additions in
            let parameters = sent.union(ProtocolParameters.optional[section] ?? [])
            let added = additions.flatMap { context.entries(section, $0).map(\.key) }
            let known = parameters.union(added)
            let named =
                ["rename", "encode"].flatMap { context.entries(section, $0) }.map { ($0.key, $0.keySpan) }
                + ["omit", "query_parameters"].flatMap { context.elements(section, $0) }.compactMap { element in
                    element.scalar.map { ($0.text, element.span) }
                }
            return named.filter { !known.contains($0.0) }.map { name, span in
                let nearest = context.nearest(to: name, in: parameters.sorted() + added)
                return finding(
                    "\"\(name)\" is not a parameter here",
                    in: context,
                    at: span,
                    help: nearest.map { "did you mean \"\($0)\"?" }
                        ?? "there are: " + known.sorted().joined(separator: ", ")
                )
            }
        }
    }
}
