import CarnetDescriptors

struct TokenNotInSample: LintRule {
    let explanation = RuleExplanation(
        code: "T004",
        name: "token-not-in-sample",
        summary: "The descriptor finds no access token in its own sample of a token response.",
        rationale: """
            The access token is the one field that a token response must have. If the sample has it elsewhere, \
            'token.response' has to say where; the same maps are used on real responses.
            """,
        references: ["RFC 6749, section 5.1"],
        bad: [
            "samples: { ⟦token⟧: { data: { access_token: redacted-access-token } } }\n",
            "token: { response: { fields: { access_token: /token } } }\nsamples: { ⟦refresh⟧: { access_token: redacted } }\n",
            "samples: { ⟦token⟧: { access_token: '' } }\n",
        ],
        good: [
            """
            token: { response: { root: /data } }
            samples: { token: { data: { access_token: redacted-access-token, token_type: Bearer } } }

            """
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let response = context.descriptor.token.response
        let samples = [("token", context.descriptor.samples.token), ("refresh", context.descriptor.samples.refresh)]
        return samples.compactMap { name, sample in
            guard let sample else { return nil }
            let body = sample[response.root]
            if let token = body?.first(of: response.fields.accessToken.pointers)?.string, !token.isEmpty { return nil }
            let pointers = response.fields.accessToken.pointers.map { "\(response.root)\($0)" }.joined(separator: ", ")
            return finding(
                "there is no access token at \(pointers) of samples.\(name)",
                in: context,
                at: context.keySpan("samples", name),
                help: "say where it is: token: { response: { fields: { access_token: /... } } }"
            )
        }
    }
}
