import CarnetDescriptors

struct StandardNameMeant: LintRule {
    let explanation = DiagnosticExplanation(
        "C021", name: "standard-name-meant", fix: .safe,
        summary: "A key names a renamed parameter by the provider's name.",
        rationale: """
            'rename' maps a standard's name to the provider's name. The other keys of a request, 'omit', 'encode' and \
            'query_parameters', use the standard's name, and Carnet ignores the provider's name there.
            """,
        bad: [
            "token: { rename: { client_secret: key }, encode: { ⟦key⟧: raw } }",
            "token: { rename: { redirect_uri: callback }, query_parameters: [⟦callback⟧] }",
            "token: { rename: { redirect_uri: callback }, omit: [⟦callback⟧] }",
        ],
        good: [
            "token: { rename: { redirect_uri: callback }, query_parameters: [redirect_uri] }",
            "token: { rename: { code: auth_code, client_id: code }, encode: { code: raw } }",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        context.messages.flatMap { message -> [Diagnostic] in
            guard !message.rename.isEmpty else { return [] }
            let known = message.parameters.union(message.added.map(\.key))
            let named =
                message.encode.map { ($0.key, $0.keySpan) }
                + (message.omit + message.queryParameters).compactMap { element in
                    element.scalar.map { ($0.text, element.span) }
                }
            return named.compactMap { name, span in
                guard !known.contains(name),
                    let standard = message.rename.first(where: { $0.value.scalar?.text == name })?.key
                else { return nil }
                return finding(
                    "\"\(name)\" is the provider's name for \"\(standard)\"", in: context, at: span,
                    help: "write the standard's name: \(standard)",
                    fix: context.text.text(in: span) == name
                        ? Fix(.safe, "write \(standard)", at: span, with: standard) : nil)
            }
        }
    }
}
