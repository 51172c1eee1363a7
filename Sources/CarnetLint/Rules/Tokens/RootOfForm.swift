import CarnetDescriptors
import CarnetFoundation

struct RootOfForm: LintRule {
    let explanation = DiagnosticExplanation(
        "T012", name: "root-of-form", summary: "A response in form encoding has a root other than the whole body.",
        rationale: """
            A form is a list of parameters, and no parameter contains an object. Carnet finds no tokens there.
            """,
        references: ["RFC 6749, section 5.1"],
        bad: "token: { response: { format: form, root: ⟦/data⟧ } }",
        good: ["token: { response: { format: form } }", "token: { response: { root: /data } }"])

    func check(_ context: LintContext) -> [Diagnostic] {
        RequestKind.allCases.compactMap { kind in
            guard let rules = context.descriptor.response(of: kind), rules.format == .form, !rules.root.tokens.isEmpty,
                let section = context.places.rules(of: kind)
            else { return nil }
            return finding(
                "a form has no object at \(rules.root)", in: context, at: section.grant.response.root.span,
                help: "remove 'root', or 'format: form' if the body is JSON")
        }
    }
}
