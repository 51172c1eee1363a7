import CarnetDescriptors
import CarnetFoundation

struct BadScopeCharacter: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "S001", name: "bad-scope-character",
        summary: "A scope contains a character that no scope can have, or the separator.",
        rationale: """
            A scope consists of printable ASCII characters except space, quote and backslash. The server reads a string \
            that contains a separator as several scopes. Carnet could then not recognize the granted scopes.
            """,
        references: ["RFC 6749, section 3.3"],
        bad: [
            "scopes: { default: [⟦openid profile⟧] }",
            "scopes: { default: [⟦'read\"all'⟧, ⟦größe⟧] }",
            "scopes: { separator: ',', default: [⟦'read,write'⟧] }",
            "inputs: { role: { type: text, example: ⟦'a b'⟧ } }\nscopes: { default: ['role:{role}'] }",
        ],
        good: [
            "scopes: { default: [openid, 'https://acme.example/auth/photos.read', 'urn:acme:write'] }",
            "inputs: { more: { type: text, default: 'openid email' } }\nscopes: { default: ['{more}'] }",
            "inputs: { role: { type: text, example: 'a b' } }\nscopes: { default: [\"role:{join('', urlencode(role), '.')}\"] }",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        let separator = context.descriptor.scopes.separator
        let found = context.scopeUses.compactMap { use -> Diagnostic? in
            let text = use.written
            // OpenID Connect Core, section 3.1.2.1: openid stands alone.
            let isJoined = ["openid,", "openid;", "openid+"].contains(where: text.hasPrefix)
            if isJoined || text.holds(separator) || text.holds(UInt8(ascii: " ")) {
                return finding(
                    "\"\(use.scope)\" contains several scopes", in: context, at: use.node.span,
                    help: "write each scope as an element of its own")
            }
            return Self.wrongCharacter(text).map {
                finding("a scope cannot contain \"\($0)\"", in: context, at: use.node.span)
            }
        }
        return found + ofInputs(context)
    }

    /// The values that the author names for inputs of scopes.
    private func ofInputs(_ context: LintContext) -> [Diagnostic] {
        let separator = context.descriptor.scopes.separator
        let templates = context.scopeUses.filter { $0.scope.holds(UInt8(ascii: "{")) }
            .compactMap { use in (try? Template(use.scope, in: .anywhere)).map { (use: use, template: $0) } }
        guard !templates.isEmpty else { return [] }
        return context.places.inputs.named().flatMap { input -> [Diagnostic] in
            let users = templates.filter { $0.template.plainInputNames.contains(input.name) }
            // An input that is a whole scope may be several, with spaces between them.
            guard let (use, template) = users.first(where: { !$0.template.isInput }) ?? users.first else { return [] }
            let nodes = [input.value.defaultValue.node, input.value.example.node] + input.value.allowed.elements
            return nodes.compactMap { node in
                guard let node, let written = node.scalar?.text, !written.holds(UInt8(ascii: "{")),
                    case let text = template.isInput ? written.filter({ $0 != " " }) : written,
                    let wrong = text.holds(separator) ? separator : Self.wrongCharacter(text).map(String.init)
                else { return nil }
                return finding(
                    "a scope with this value cannot contain \"\(wrong)\"", in: context, at: node.span,
                    help: "give the input another value, or each scope an input of its own",
                    related: [context.related("the scope", at: use.node.span)])
            }
        }
    }

    /// What a scope-token cannot contain (RFC 6749, section 3.3).
    private static func wrongCharacter(_ text: String) -> Unicode.Scalar? {
        text.unicodeScalars.first { !(0x21...0x7E).contains($0.value) || $0 == "\"" || $0 == "\\" }
    }
}
