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

    /// How many names a message repeats at most.
    private static let longestList = 32

    func check(_ context: LintContext) -> [Diagnostic] {
        context.messages.flatMap { message -> [Diagnostic] in
            let named =
                ["rename", "encode"].flatMap(message.entries).map { ($0.key, $0.keySpan) }
                + ["omit", "query_parameters"].flatMap(message.elements).compactMap { element in
                    element.scalar.map { ($0.text, element.span) }
                }
            guard !named.isEmpty else { return [] }
            let optional = message.path.first.flatMap { ProtocolParameters.optional[$0] } ?? []
            let parameters = message.parameters.union(optional)
            let added = message.added.map(\.key)
            let known = parameters.union(added)
            let candidates = parameters.sorted() + added
            let allowed = "there are: " + known.sorted().prefix(Self.longestList).joined(separator: ", ")
            return named.filter { !known.contains($0.0) }.map { name, span in
                let nearest = context.nearest(to: name, in: candidates)
                return finding(
                    "\"\(name)\" is not a parameter here",
                    in: context,
                    at: span,
                    help: nearest.map { "did you mean \"\($0)\"?" } ?? allowed
                )
            }
        }
    }
}
