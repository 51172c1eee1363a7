import CarnetDescriptors

struct RootOfForm: LintRule {
    let explanation = DiagnosticExplanation(
        code: "T012",
        name: "root-of-form",
        summary: "A response in form encoding has a root other than the whole body.",
        rationale: """
            A form is a list of parameters, and no parameter contains an object. Carnet finds no tokens there.
            """,
        references: ["RFC 6749, section 5.1"],
        bad: ["token: { response: { format: form, root: ⟦/data⟧ } }\n"],
        good: ["token: { response: { format: form } }\n", "token: { response: { root: /data } }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let (descriptor, places) = (context.descriptor, context.places)
        // A place is looked up only for a finding.
        let responses: [(rules: ResponseRules?, place: () -> Place<ResponseRules>)] = [
            (descriptor.token.response, { places.token.response }),
            (descriptor.refresh.response, { places.refresh.response }),
            (descriptor.clientCredentials.response, { places.clientCredentials.response }),
            (descriptor.device.token.response, { places.device.token.response }),
            (descriptor.tokenExchange.response, { places.tokenExchange.response }),
            (descriptor.jwtBearer.grant.response, { places.jwtBearer.grant.response }),
        ]
        return responses.compactMap { rules, place in
            guard let rules, rules.format == .form, !rules.root.tokens.isEmpty else { return nil }
            return finding(
                "a form has no object at \(rules.root)", in: context, at: place().root.span,
                help: "remove 'root', or 'format: form' if the body is JSON")
        }
    }
}
