import CarnetDescriptors
import Foundation

struct BadLifetimeInSample: LintRule {
    let explanation = RuleExplanation(
        code: "T005",
        name: "bad-lifetime-in-sample",
        summary: "The lifetime in a sample of a token response is not what the descriptor says it is.",
        rationale: """
            'expires_in' is a number of seconds, or a text that holds one, unless 'token.response.expires' says otherwise. A date or an absolute time in its place would be \
            taken for a lifetime, and the token would be refreshed always or never.
            """,
        references: ["RFC 6749, section 5.1", "RFC 6749, appendix A.14"],
        bad: [
            "samples: { token: { access_token: redacted, expires_in: ⟦'2026-11-21T10:00:00Z'⟧ } }\n",
            "samples: { token: { access_token: redacted, expires_in: ⟦1795255200⟧ } }\n",
            """
            token: { response: { expires: epoch } }
            samples: { token: { access_token: redacted, expires_in: ⟦3600⟧ } }

            """,
        ],
        good: [
            "samples: { token: { access_token: redacted, expires_in: 3600 } }\n",
            "samples: { token: { access_token: redacted, expires_in: '3600' } }\n",
            """
            token: { response: { expires: iso8601 } }
            samples: { token: { access_token: redacted, expires_in: '2026-11-21T10:00:00Z' } }

            """,
        ]
    )

    /// Ten years: above it, the number is a point in time.
    private static let longestLifetime = 315_576_000.0

    func check(_ context: LintContext) -> [Diagnostic] {
        let response = context.descriptor.token.response
        let samples = [("token", context.descriptor.samples.token), ("refresh", context.descriptor.samples.refresh)]
        return samples.compactMap { name, sample in
            guard let body = sample?[response.root], let value = body.first(of: response.fields.expiresIn.pointers)
            else {
                return nil
            }
            if isPlausible(response.expiry.end(value)) { return nil }
            let kind = response.expiry.kind
            return finding(
                kind == .seconds
                    ? "\(value.jsonText()) is not a lifetime in seconds"
                    : "\(value.jsonText()) is not of the kind \(kind.rawValue)",
                in: context,
                at: place(of: value, name, response, context),
                help: "say what it is: token: { response: { expires: KIND } }; or use 'default_expires_in'"
            )
        }
    }

    /// A point in time is plausible from the year 2001 on, which tells seconds from milliseconds.
    private func isPlausible(_ end: TokenEnd?) -> Bool {
        switch end {
        case .after(let seconds): seconds <= Self.longestLifetime
        case .at(let date): (1_000_000_000...10_000_000_000).contains(date.timeIntervalSince1970)
        case .never: true
        case nil: false
        }
    }

    private func place(of value: JSONValue, _ sample: String, _ response: ResponseRules, _ context: LintContext)
        -> SourceSpan
    {
        let body = ["samples", sample] + response.root.tokens
        for pointer in response.fields.expiresIn.pointers {
            if let node = context.root.node(at: body + pointer.tokens) { return node.span }
        }
        return context.keySpan("samples", sample)
    }
}
