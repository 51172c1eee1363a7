import CarnetDescriptors

struct ConstantPerAttemptValue: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "C004", name: "constant-per-attempt-value",
        summary: "The descriptor contains a fixed value for a parameter that must be new for each sign-in.",
        rationale: """
            'state', 'nonce' and the code verifier protect a sign-in because nobody else knows them. Everyone who can \
            read the file knows a fixed value, and it matches every response.
            """,
        references: ["RFC 6749, section 10.12", "RFC 7636, section 4.1", "OpenID Connect Core 1.0, section 15.5.2"],
        bad: [
            "scopes: { default: [openid] }\nauthorization: { parameters: { ⟦nonce⟧: abc123 } }",
            "authorization: { parameters: { ⟦state⟧: acme } }",
            "token: { parameters: { ⟦code_verifier⟧: acme } }",
        ],
        good: [
            "token: { parameters: { state: '{callback.state}' } }",
            "authorization: { parameters: { nonce: '{random()}' } }",
            "authorization: { parameters: { nonce: abc123, prompt: consent } }",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        context.requests.flatMap { request -> [Diagnostic] in
            // A profile has no parameters of a standard, so these are the provider's own.
            guard request.kind != .profile else { return [] }
            return request.added.filter { entry in
                // Where Carnet sends none, nothing depends on it: a nonce without an ID token.
                guard let parameter = StandardParameter(rawValue: entry.key) else { return false }
                let isSent = request.kind.map { context.descriptor.sends(parameter, in: $0) } ?? true
                return parameter.isPerAttempt && Self.isConstant(entry) && isSent
            }.map { entry in
                finding(
                    "\"\(entry.key)\" is the same for every sign-in", in: context, at: entry.keySpan,
                    help: "remove it; Carnet creates a new one for each sign-in")
            }
        }
    }

    /// Whether a value is the same for each sign-in.
    static func isConstant(_ entry: YAMLEntry) -> Bool {
        let template = entry.value.scalar.flatMap { try? Template($0.text, in: .anywhere) }
        return template.map { $0.references.isEmpty && !$0.expressions.contains(where: \.isRandom) } ?? true
    }
}
