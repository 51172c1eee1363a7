import CarnetDescriptors
import CarnetFoundation

struct BadAuthenticationList: LintRule {
    let explanation = DiagnosticExplanation(
        code: "C012",
        name: "bad-authentication-list",
        summary: "client.authentication is empty.",
        rationale: """
            The list names the methods that the provider accepts, best first. Carnet chooses one method and does not \
            try another, because the first attempt uses up the code. With an empty list, no client can authenticate.
            """,
        references: ["RFC 6749, section 2.3", "RFC 8414, section 2"],
        bad: [
            "client: { authentication: ⟦[]⟧ }\n"
        ],
        good: ["client: { authentication: [client_secret_post, none] }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let place = context.places.client.authentication
        guard place.elements.isEmpty, context.descriptor.client.methods.isEmpty else { return [] }
        return [
            finding("client.authentication is empty", in: context, at: place.span, help: "a public client uses [none]")
        ]
    }
}
