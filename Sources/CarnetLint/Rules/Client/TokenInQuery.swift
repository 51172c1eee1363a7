import CarnetDescriptors
import CarnetFoundation

struct TokenInQuery: SingleValueRule {
    let explanation = DiagnosticExplanation(
        code: "C050",
        name: "token-in-query",
        severity: .warning,
        summary: "The access token is sent in the query of URLs.",
        rationale: """
            Servers and proxies log URLs, and browsers send them in the Referer header. Everyone who reads one of \
            them has the token. Use this only if the provider accepts the token nowhere else, and give the reason. \
            The finding is a reminder. Suppress it with evidence that it still applies.
            """,
        references: ["RFC 6750, section 2.3", "RFC 6750, section 5.3", "RFC 9700, section 4.3.2"],
        bad: [
            "api: { token_in: ⟦{ query: access_token, because: their first API knows no headers }⟧ }\n",
            "profile: { token_in: ⟦{ query: oauth_token, because: https://acme.example/docs }⟧ }\n",
        ],
        good: ["api: { token_in: { header: X-Acme-Access-Token } }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        let places = context.places
        let placements: [(placement: TokenPlacement?, place: Place<TokenPlacement>)] = [
            (descriptor.api.tokenIn, places.api.tokenIn), (descriptor.profile.tokenIn, places.profile.tokenIn),
            (descriptor.revocation.tokenIn, places.revocation.tokenIn),
        ]
        return placements.compactMap { placement, place in
            guard case .query(_, let reason) = placement else { return nil }
            let message = "the access token is sent in URLs: \(reason)"
            return finding(message, in: context, at: place.span)
        }
    }
}
