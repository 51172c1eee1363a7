import CarnetDescriptors

struct BadAuthenticationList: LintRule {
    let explanation = RuleExplanation(
        code: "C012",
        name: "bad-authentication-list",
        summary: "client.authentication is empty or names a method twice.",
        rationale: """
            The list says which methods the provider accepts, best first; one is chosen from it once, because a second try \
            would find the code spent. An empty list leaves no way to authenticate.
            """,
        fix: .safe,
        references: ["RFC 6749, section 2.3", "RFC 8414, section 2"],
        bad: [
            "client: { authentication: ⟦[]⟧ }\n",
            "client: { authentication: [none, client_secret_basic, ⟦none⟧] }\n",
        ],
        good: ["client: { authentication: [client_secret_post, none] }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let elements = context.places.client.authentication.elements
        if elements.isEmpty, context.descriptor.client.authentication.isEmpty {
            let span = context.places.client.authentication.span
            return [finding("no method is accepted", in: context, at: span, help: "a public client uses [none]")]
        }
        return elements.indices.compactMap { index in
            guard let name = elements[index].scalar?.text,
                let first = elements[..<index].first(where: { $0.scalar?.text == name })
            else { return nil }
            return finding(
                "\"\(name)\" is there twice",
                in: context,
                at: elements[index].span,
                related: [context.related("first named here", at: first.span)],
                fix: Removal.fix(ofElement: index, in: elements, summary: "remove the second", text: context.text)
            )
        }
    }
}
