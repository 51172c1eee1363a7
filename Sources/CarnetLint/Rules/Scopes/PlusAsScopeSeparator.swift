import CarnetDescriptors
import CarnetFoundation

struct PlusAsScopeSeparator: LintRule {
    let explanation = DiagnosticExplanation(
        "S010", name: "plus-as-scope-separator", severity: .warning, fix: .unsafe,
        summary: "The separator between scopes is a plus sign.",
        rationale: """
            In the query of a URL, '+' means a space, so a provider's documentation with '+' between scopes usually means \
            spaces. Carnet encodes the separator '+' as '%2B'. Few providers expect that. If this one does, write a note \
            about the key with the reason.
            """,
        references: ["RFC 6749, section 3.3", "RFC 6749, appendix B"],
        bad: "scopes: { separator: ⟦+⟧, default: [photos] }",
        good: [
            "scopes: { separator: '+', default: [photos] }\nauthorization: { encode: { scope: raw } }",
            """
            scopes: { separator: '+', default: [photos] }
            notes: [{ about: scopes.separator, because: their own library sends %2B }]
            """,
        ])

    let isReminder = true

    func check(_ context: LintContext) -> [Diagnostic] {
        // A raw parameter is sent as it is written.
        guard context.descriptor.scopes.separator == "+", context.descriptor.authorization.encode["scope"] != .raw
        else { return [] }
        let span = context.places.scopes.separator.span
        return findings(
            "Carnet sends the separator \"+\" as %2B", in: context, at: span,
            help: "write a space, if the provider's documentation means one",
            fix: Fix(.unsafe, "use a space", at: span, with: "' '"))
    }
}
