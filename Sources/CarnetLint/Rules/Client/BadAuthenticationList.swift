import CarnetDescriptors
import CarnetFoundation

struct BadAuthenticationList: LintRule {
    let explanation = DiagnosticExplanation(
        "C012", name: "bad-authentication-list",
        summary: "client.authentication is empty, or has no method for client_credentials.",
        rationale: """
            The list names the methods that the provider accepts, best first. Carnet chooses one method and does not \
            try another, because the first attempt uses up the code. With an empty list, no client can authenticate. A client gets tokens of \
            its own for its credentials, so a public one gets none.
            """,
        references: ["RFC 6749, section 2.3", "RFC 6749, section 4.4", "RFC 8414, section 2"],
        bad: [
            "client: { authentication: ⟦[]⟧ }",
            "client: { authentication: ⟦[none]⟧ }\nclient_credentials: { parameters: { audience: api } }",
            """
            endpoints: { token: https://id.acme.example/token }
            client: { authentication: ⟦[none]⟧ }
            profile: { subject: { none: No user signs in. } }
            """,
        ],
        good: "client: { authentication: [client_secret_post, none] }")

    func check(_ context: LintContext) -> [Diagnostic] {
        let place = context.places.client.authentication
        let methods = context.descriptor.client.methods
        if context.descriptor.grantsWithoutPage.contains(.clientCredentials), !methods.isEmpty,
            methods.allSatisfy({ $0 == .none })
        {
            return findings(
                "the client credentials grant needs a client that authenticates", in: context, at: place.span,
                help: "add the method that the provider documents, for example client_secret_basic")
        }
        guard place.elements.isEmpty, context.descriptor.client.methods.isEmpty else { return [] }
        return findings(
            "client.authentication is empty", in: context, at: place.span, help: "a public client uses [none]")
    }
}
