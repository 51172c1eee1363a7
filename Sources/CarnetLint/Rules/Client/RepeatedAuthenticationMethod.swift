import CarnetDescriptors

struct RepeatedAuthenticationMethod: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "C017", name: "repeated-authentication-method", severity: .warning, fix: .safe,
        summary: "client.authentication contains a method twice.",
        rationale: "The second entry has no effect. Usually it should be another method.",
        references: ["RFC 8414, section 2"], bad: "client: { authentication: [none, client_secret_basic, ⟦none⟧] }",
        good: "client: { authentication: [client_secret_post, none] }")

    func check(_ context: LintContext) -> [Diagnostic] {
        let elements = context.places.client.authentication.elements
        return elements.indices.compactMap { index in
            guard let name = elements[index].scalar?.text,
                let first = elements[..<index].first(where: { $0.scalar?.text == name })
            else { return nil }
            return finding(
                "\"\(name)\" occurs twice", in: context, at: elements[index].span,
                related: [context.related("first named here", at: first.span)],
                fix: Removal.fix(ofElement: index, in: elements, text: context.text))
        }
    }
}
