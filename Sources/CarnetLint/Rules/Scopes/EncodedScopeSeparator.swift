import CarnetDescriptors
import CarnetFoundation

struct EncodedScopeSeparator: LintRule {
    let explanation = DiagnosticExplanation(
        "S002", name: "encoded-scope-separator", fix: .safe,
        summary: "The separator between scopes is percent-encoded.",
        rationale: """
            Carnet encodes parameters when it sends them. '%20' in a provider's documentation means a space, and '%2C' a \
            comma. As separators they would be encoded again, and the server would see one unknown scope.
            """,
        references: ["RFC 6749, section 3.3", "RFC 6749, appendix B"],
        bad: [
            "scopes: { separator: ⟦'%20'⟧, default: [openid] }", "scopes: { separator: ⟦'%2C'⟧, default: [openid] }",
        ],
        good: [
            "scopes: { separator: ',', default: [photos] }",
            "scopes: { separator: '%20', default: [photos] }\nauthorization: { encode: { scope: raw } }",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        let meant = ["%20": " ", "%2C": ",", "%2c": ","]
        let separator = context.descriptor.scopes.separator
        // A raw parameter is sent as it is written.
        guard let decoded = meant[separator], context.descriptor.authorization.encode["scope"] != .raw
        else { return [] }
        let span = context.places.scopes.separator.span
        return findings(
            "the separator \"\(separator)\" is already encoded", in: context, at: span,
            help: "write the character itself", fix: Fix(.safe, "use \"\(decoded)\"", at: span, with: "'\(decoded)'"))
    }
}
