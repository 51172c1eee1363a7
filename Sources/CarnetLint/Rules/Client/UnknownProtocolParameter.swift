import CarnetDescriptors

struct UnknownProtocolParameter: LintRule {
    let explanation = DiagnosticExplanation(
        "C007", name: "unknown-protocol-parameter", severity: .warning,
        summary: "A key names a parameter that this request never has.",
        rationale: "The key has no effect. Usually the name is misspelled.",
        bad: [
            "token: { rename: { ⟦clientid⟧: app_id } }",
            "authorization: { omit: [⟦nonse⟧] }",
            "token: { omit: [⟦response_type⟧] }",
            "callback: { rename: { ⟦authcode⟧: auth_code } }",
            "token: { query_parameters: [⟦redirect_url⟧] }",
            "refresh: { omit: [⟦scope⟧] }",
            "authorization: { encode: { ⟦scopes⟧: raw } }",
            "authorization: { pushed: { use: always, repeat: [⟦client_secret⟧] } }",
        ],
        good: [
            "token: { rename: { client_id: app_id } }",
            "token: { omit: [redirect_uri] }",
            "token: { rename: { refresh_token: refreshToken } }",
            "introspection: { rename: { client_assertion: jwt } }\njwt_bearer: { rename: { client_assertion: jwt } }",
            "authorization: { rename: { response_mode: mode } }",
            "authorization: { rename: { login_hint: username }, encode: { resource: raw } }",
        ])

    /// How many names a message repeats at most.
    private static let longestList = 32

    func check(_ context: LintContext) -> [Diagnostic] {
        context.messages.flatMap { message -> [Diagnostic] in
            let named =
                (message.rename.filter { !message.isReversed($0) } + message.encode).map { ($0.key, $0.keySpan) }
                + (message.omit + message.queryParameters).compactMap { element in
                    element.scalar.map { ($0.text, element.span) }
                }
                + (message.kind == .authorization ? context.places.authorization.pushed.repeated.elements : [])
                .compactMap { element in element.scalar.map { ($0.text, element.span) } }
            guard !named.isEmpty else { return [] }
            let added = message.added.map(\.key)
            let renamed = message.rename.compactMap { $0.value.scalar?.text }
            // A provider's name is a finding of C021.
            let known = message.parameters.union(added).union(renamed)
            let candidates = message.parameters.sorted() + added
            let allowed =
                known.isEmpty
                ? "the request has only the parameters in 'parameters'"
                : "parameters: " + known.subtracting(renamed).sorted().prefix(Self.longestList).joined(separator: ", ")
            let inherited = message.kind == .token ? context.refreshParameters : []
            return named.filter { !known.contains($0.0) && !inherited.contains($0.0) }.map { name, span in
                let nearest = context.nearest(to: name, in: candidates)
                return finding(
                    "this message has no parameter \"\(name)\"", in: context, at: span,
                    help: nearest.map { "did you mean \"\($0)\"?" } ?? allowed)
            }
        }
    }
}

extension LintContext {
    /// The parameters of a refresh that is made as the section `token` says.
    fileprivate var refreshParameters: Set<String> {
        let own = places.refresh.request
        let inherits = ![own.rename.isWritten, own.encode.isWritten, own.omit.isWritten, own.queryParameters.isWritten]
            .contains(true)
        return inherits ? RequestKind.refresh.parameterNames : []
    }
}
