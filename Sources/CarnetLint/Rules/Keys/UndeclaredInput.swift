import CarnetDescriptors
import CarnetFoundation

struct UndeclaredInput: LintRule {
    let explanation = DiagnosticExplanation(
        "K101", name: "undeclared-input", fix: .unsafe,
        summary: "A value uses an input that 'inputs' does not declare.",
        rationale: """
            The host application cannot supply a value that the descriptor does not declare, so the provider would \
            never resolve.
            """,
        bad: [
            "inputs: { domain: { type: hostname } }\nissuer: https://⟦{domian}⟧/",
            "issuer: https://id.acme.example/⟦{issuer}⟧",
            "token: { parameters: { id: '⟦{client_id}⟧' } }",
            """
            issuer: https://id.acme.example
            profile: { requests: [{ url: https://id.acme.example/mail, claims: { email: /mail }, where: { primary: '⟦{b}⟧' } }] }
            """,
            "issuer: https://id.acme.example\nprofile: { claims: { subject: { where: { hd: '⟦{hd}⟧' }, first: /sub } } }",
        ],
        good: [
            "inputs: { domain: { type: hostname } }\nissuer: https://{domain}/",
            "issuer: https://id.acme.example\nendpoints: { token: '{issuer}/token' }",
        ])

    /// What people write for values that need no declaration.
    private static let values = [
        "client_id": "client.id", "client_secret": "client.secret", "code": "callback.code", "state": "callback.state",
        "access_token": "token.access_token", "refresh_token": "token.refresh_token", "id_token": "token.id_token",
        "token": "token.access_token", "scope": "token.scope", "scopes": "token.scope", "body": "request.body",
    ]

    func check(_ context: LintContext) -> [Diagnostic] {
        guard context.templateUses.contains(where: { !$0.inputNames.isEmpty }) else { return [] }
        let declared = context.descriptor.inputs
        return context.templateUses.filter { !$0.inputNames.allSatisfy(declared.contains) }.flatMap { use in
            Set(use.inputNames).subtracting(declared.names).sorted().map { name in
                let kept = context.descriptor.keptValues.filter { $0.name == name }.map(\.description).min()
                let nearest = context.nearest(to: name, in: declared.names) ?? Self.values[name] ?? kept
                let span = context.span(of: use.place(of: name), in: use.node)
                return finding(
                    "the input \"\(name)\" is not declared", in: context, at: span,
                    help: nearest.map { "did you mean {\($0)}?" } ?? "declare it: inputs: { \(name): {} }",
                    fix: nearest.map { Fix(.unsafe, "use {\($0)}", at: span, with: "{\($0)}") })
            }
        }
    }
}
