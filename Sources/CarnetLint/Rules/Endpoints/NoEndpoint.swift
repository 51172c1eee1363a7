import CarnetDescriptors
import CarnetFoundation

struct NoEndpoint: LintRule {
    let explanation = DiagnosticExplanation(
        code: "E008",
        name: "no-endpoint",
        summary: "The descriptor has neither an issuer nor the endpoints of a sign-in.",
        rationale: """
            A provider needs an issuer, whose metadata document names the endpoints, a resource, whose metadata names \
            the issuer, or endpoints in the descriptor: at least 'authorization' and 'token'.
            """,
        references: ["RFC 6749, section 3", "RFC 8414, section 3"],
        bad: [
            "⟦carnet⟧: 1\nid: acme\nname: Acme\nendpoints: {}\n",
            "⟦endpoints⟧:\n  authorization: https://id.acme.example/authorize\n",
            "issuer: https://id.acme.example\ndiscovery: none\n⟦endpoints⟧:\n  token: https://id.acme.example/token\n",
            """
            ⟦endpoints⟧:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            authorization: { pushed: always }

            """,
        ],
        good: [
            "issuer: https://id.acme.example\n",
            "discovery_url: https://id.acme.example/metadata.json\n",
            "resource: https://api.acme.example/data\n",
            """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token

            """,
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        guard !descriptor.canDiscover else { return [] }
        let isPushed = descriptor.authorization.pushed.use == .always
        let needed: [EndpointName] = [.authorization, .token] + (isPushed ? [.pushedAuthorizationRequest] : [])
        let missing = needed.filter { descriptor.endpoints[$0] == nil }
        guard !missing.isEmpty else { return [] }
        let names = missing.map { "endpoints.\($0.rawValue)" }.joined(separator: " and ")
        let (reason, help) =
            descriptor.discovery == .off
            ? ("there is no discovery", "remove 'discovery: none', or name the endpoints")
            : ("there is no issuer", "add 'issuer', or name the endpoints")
        return [
            finding(
                "\(names) \(missing.count == 1 ? "is" : "are") missing, and \(reason)",
                in: context,
                at: place(context),
                help: help
            )
        ]
    }

    private func place(_ context: LintContext) -> SourceSpan {
        let endpoints = context.places.endpoints
        return endpoints.entries.isEmpty ? context.places.span : endpoints.keySpan
    }
}

extension ProviderDescriptor {
    /// Whether a metadata document can supply what the descriptor does not say.
    var canDiscover: Bool {
        self.discovery != .off && (self.issuer != nil || self.discoveryURL != nil || self.resource != nil)
    }
}
