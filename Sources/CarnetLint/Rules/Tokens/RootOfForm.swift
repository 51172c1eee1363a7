import CarnetDescriptors
import CarnetFoundation

struct RootOfForm: LintRule {
    let explanation = DiagnosticExplanation(
        "T012", name: "root-of-form",
        summary: "A response has no place for its tokens: a root in form encoding, or an empty list of places.",
        rationale: """
            A form is a list of parameters, and no parameter contains an object. Carnet finds no tokens there, nor where \
            no place is named.
            """,
        references: ["RFC 6749, section 5.1"],
        bad: [
            "token: { response: { format: form, root: ⟦/data⟧ } }",
            "token: { response: { fields: { access_token: ⟦[]⟧ } } }",
        ],
        good: ["token: { response: { format: form } }", "token: { response: { root: /data } }"])

    func check(_ context: LintContext) -> [Diagnostic] {
        RequestKind.allCases.flatMap { kind -> [Diagnostic] in
            guard let rules = context.descriptor.response(of: kind), let section = context.places.rules(of: kind) else {
                return []
            }
            var found: [Diagnostic] = []
            if rules.format == .form, !rules.root.tokens.isEmpty {
                found.append(
                    finding(
                        "a form has no object at \(rules.root)", in: context, at: section.grant.response.root.span,
                        help: "remove 'root', or 'format: form' if the body is JSON"))
            }
            if rules.fields.accessToken.pointers.isEmpty {
                found.append(
                    finding(
                        "the list names no place of the access token", in: context,
                        at: section.grant.response.fields.accessToken.span,
                        help: "name it, or remove 'access_token' for the usual place"))
            }
            return found
        }
    }
}
