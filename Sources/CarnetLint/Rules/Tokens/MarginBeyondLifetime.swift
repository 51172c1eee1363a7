import CarnetDescriptors
import CarnetFoundation

struct MarginBeyondLifetime: LintRule {
    let explanation = DiagnosticExplanation(
        "T008", name: "margin-beyond-lifetime",
        summary: "The refresh margin is not shorter than the lifetime of the token.",
        rationale: """
            With such a margin, every new token is due for a refresh at once. Each call then costs a refresh, and a \
            provider with a rate limit rejects them.
            """,
        references: ["RFC 6749, section 6"],
        bad: [
            "token: { response: { default_expires_in: 300 } }\nrefresh: { margin: ⟦300⟧ }",
            """
            refresh: { margin: ⟦3600⟧ }
            samples: { token: { access_token: redacted, token_type: Bearer, expires_in: 600 } }
            """,
        ],
        good: [
            "token: { response: { default_expires_in: 3600 } }\nrefresh: { margin: 300 }",
            """
            token: { response: { default_expires_in: 3600 } }
            exchange:
              long:
                url: https://id.acme.example/exchange
                parameters: { token: '{token.access_token}' }
                sample: { access_token: redacted, token_type: Bearer, expires_in: 5184000 }
            refresh: { margin: 86400 }
            """,
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        guard let margin = descriptor.refresh.margin?.count else { return [] }
        // The tokens that a session keeps are those of the last exchange, if there is one.
        let exchange = descriptor.exchange.items.last { $0.value.result == .tokens }?.value
        let response = exchange?.response ?? descriptor.token.response
        let sample = exchange.map(\.sample) ?? descriptor.samples.token
        let sampled = sample?[response.root]?.first(of: response.fields.expiresIn.pointers)
        let seconds =
            sampled.flatMap {
                if case .expiry(.after(let seconds)) = response.expiry.reading(of: $0) { seconds } else { nil }
            }
            ?? response.defaultExpiresIn.map { Double($0.count) }
        guard let seconds, seconds > 0, Double(margin) >= seconds else { return [] }
        return findings(
            "the margin of \(margin) seconds is not less than the token's lifetime of \(Int(min(seconds, 1e9)))",
            in: context, at: context.places.refresh.margin.span)
    }
}
