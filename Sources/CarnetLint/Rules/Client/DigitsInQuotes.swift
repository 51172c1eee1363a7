import CarnetDescriptors
import CarnetFoundation

struct DigitsInQuotes: LintRule {
    let explanation = DiagnosticExplanation(
        "C024", name: "digits-in-quotes", severity: .warning, fix: .unsafe,
        summary: "A JSON body has a number in quotes.",
        rationale: """
            In a form all values are strings. In a JSON body, 1800 and "1800" differ, and a strict server refuses the \
            string. Without quotes, Carnet sends a number.
            """,
        references: ["RFC 8259, section 6"],
        bad: "token: { body: json, parameters: { expires_in: ⟦'1800'⟧ } }",
        good: [
            "token: { body: json, parameters: { expires_in: 1800 } }",
            "token: { parameters: { expires_in: '1800' } }",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        context.requests.flatMap { request -> [Diagnostic] in
            guard let kind = request.kind, let rules = context.descriptor.rules(of: kind) else { return [] }
            let inherited = kind.inheritsToken ? context.descriptor.rules(of: .token)?.body : nil
            guard rules.body ?? inherited == .json else { return [] }
            return request.added.compactMap { entry in
                guard let scalar = entry.value.scalar, !scalar.isPlain, !scalar.text.isEmpty,
                    scalar.text.utf8.allSatisfy(ASCII.isDigit), !scalar.text.hasPrefix("0")
                else { return nil }
                return finding(
                    "\(entry.key) is sent as a string", in: context, at: entry.value.span,
                    help: "remove the quotes if the provider's reference has a number",
                    fix: Fix(.unsafe, "remove the quotes", at: entry.value.span, with: scalar.text))
            }
        }
    }
}
