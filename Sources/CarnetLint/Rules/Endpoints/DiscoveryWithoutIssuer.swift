import CarnetDescriptors
import CarnetFoundation

struct DiscoveryWithoutIssuer: LintRule {
    let explanation = DiagnosticExplanation(
        "E009", name: "discovery-without-issuer",
        summary: "The descriptor asks for discovery, but has nothing to discover from.",
        rationale: """
            The metadata document is below the issuer, and its 'issuer' must equal the descriptor's. Without an \
            issuer, 'discovery_url' must name the document.
            """,
        references: ["RFC 8414, section 3.3", "OpenID Connect Discovery 1.0, section 4"],
        bad: """
            discovery: ⟦required⟧
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            """,
        good: "issuer: https://id.acme.example\ndiscovery: required")

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        guard let mode = descriptor.discovery, mode != .off, !descriptor.canDiscover else { return [] }
        return findings(
            "discovery is \"\(mode.rawValue)\", but 'issuer' and 'discovery_url' are missing", in: context,
            at: context.places.discovery.span, help: "add 'issuer', or remove 'discovery'")
    }
}
