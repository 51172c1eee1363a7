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
        ],
        good: "scopes: { default: [openid, 'https://acme.example/auth/photos.read', 'urn:acme:write'] }")

    func check(_ context: LintContext) -> [Diagnostic] {
        let separator = context.descriptor.scopes.separator
        return context.scopeUses.compactMap { use in
            // OpenID Connect Core, section 3.1.2.1: openid stands alone.
            let isJoined =
                use.scope.hasPrefix("openid,") || use.scope.hasPrefix("openid;") || use.scope.hasPrefix("openid+")
            if isJoined || use.scope.holds(separator) || use.scope.holds(UInt8(ascii: " ")) {
                return finding(
                    "\"\(use.scope)\" contains several scopes", in: context, at: use.node.span,
                    help: "write each scope as an element of its own")
            }
            // The characters of a scope-token (RFC 6749, section 3.3).
            let wrong = use.scope.unicodeScalars.first { scalar in
                !(0x21...0x7E).contains(scalar.value) || scalar == "\"" || scalar == "\\"
            }
            return wrong.map { finding("a scope cannot contain \"\($0)\"", in: context, at: use.node.span) }
        }
    }
}
