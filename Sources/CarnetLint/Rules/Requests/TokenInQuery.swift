import CarnetDescriptors

struct TokenInQuery: SingleValueRule {
    let explanation = RuleExplanation(
        code: "C050",
        name: "token-in-query",
        severity: .warning,
        summary: "The access token goes into the query of URLs.",
        rationale: """
            A URL is written into the logs of servers and proxies and sent on in the Referer header, so whoever reads one \
            of these has the token. It has to be so only where a provider takes the token nowhere else; the descriptor \
            says why. The finding keeps the weakness in sight; suppress it with the evidence that it still holds.
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
            let message = "the access token is put into URLs: \(reason)"
            return finding(message, in: context, at: place.span)
        }
    }
}
