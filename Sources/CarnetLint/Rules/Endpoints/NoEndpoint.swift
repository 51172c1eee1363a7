import CarnetDescriptors
import CarnetFoundation

struct NoEndpoint: LintRule {
    let explanation = DiagnosticExplanation(
        "E008", name: "no-endpoint", summary: "The descriptor has neither an issuer nor the endpoints of a sign-in.",
        rationale: """
            A provider needs an issuer, whose metadata document names the endpoints, a resource, whose metadata names \
            the issuer, or endpoints in the descriptor: at least 'authorization' and 'token'. A provider without a page to \
            sign in at needs 'token', and another grant: the endpoint 'device_authorization', or one of the sections \
            'client_credentials', 'token_exchange' and 'jwt_bearer'.
            """,
        references: ["RFC 6749, section 3", "RFC 8414, section 3"],
        bad: [
            "⟦carnet⟧: 1\nid: acme\nname: Acme\nendpoints: {}",
            "⟦endpoints⟧:\n  authorization: https://id.acme.example/authorize",
            "issuer: https://id.acme.example\nenvironments: { ⟦sandbox⟧: { discovery: none } }",
            "issuer: https://id.acme.example\ndiscovery: none\n⟦endpoints⟧:\n  token: https://id.acme.example/token",
            """
            ⟦endpoints⟧:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            authorization: { pushed: always }
            """,
        ],
        good: [
            "issuer: https://id.acme.example",
            "discovery_url: https://id.acme.example/metadata.json",
            "resource: https://api.acme.example/data",
            """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            """,
            "endpoints: { token: https://id.acme.example/token }\nclient_credentials: {}",
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        guard !descriptor.canDiscover else { return [] }
        let isPushed = descriptor.authorization.pushed.use == .always
        let hasPage = descriptor.endpoints[.authorization] != nil || descriptor.grantsWithoutPage.isEmpty
        let needed: [EndpointName] =
            [.token] + (hasPage ? [.authorization] : []) + (hasPage && isPushed ? [.pushedAuthorizationRequest] : [])
        let missing = needed.filter { descriptor.endpoints[$0] == nil }
        guard !missing.isEmpty else { return [] }
        let isPage = missing == [.authorization]
        let names = missing.map { "endpoints.\($0.rawValue)" }.joined(separator: " and ")
        let (reason, help) =
            descriptor.discovery == .off
            ? ("there is no discovery", "remove 'discovery: none', or name the endpoints")
            : ("there is no issuer", "add 'issuer', or name the endpoints")
        let endpoints = context.places.endpoints
        let place = endpoints.entries.isEmpty ? context.places.span : endpoints.keySpan
        return findings(
            "\(names) \(missing.count == 1 ? "is" : "are") missing, and \(reason)", in: context, at: place,
            help: isPage ? "\(help); for a client's own tokens, add 'client_credentials: {}'" : help)
    }
}
