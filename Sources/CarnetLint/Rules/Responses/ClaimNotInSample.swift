import CarnetDescriptors

struct ClaimNotInSample: LintRule {
    let explanation = RuleExplanation(
        code: "T003",
        name: "claim-not-in-sample",
        summary: "A claim's pointer leads to nothing in the descriptor's own sample.",
        rationale: """
            The sample is a real response, so a pointer that finds nothing in it is most often misspelled, and the claim \
            would always be missing. The subject must be there; it is looked for even if the descriptor does not map it.
            """,
        references: ["RFC 6901, section 4"],
        bad: [
            """
            profile: { claims: { picture: ⟦/avatar⟧ } }
            samples: { userinfo: { sub: '248289761001', avatar_url: 'https://img.acme.example/1.png' } }

            """,
            """
            profile: { claims: { name: /login } }
            samples: { ⟦userinfo⟧: { id: 248289761001, login: jane } }

            """,
        ],
        good: [
            """
            profile: { root: /user, claims: { subject: [/sub, /id], name: /login } }
            samples: { userinfo: { user: { id: 248289761001, login: jane } } }

            """
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        guard let (name, sample) = source(descriptor) else { return [] }
        guard let claims = sample[descriptor.profile.root] else {
            let span = context.span("profile", "root")
            return [finding("'profile.root' leads to nothing in samples.\(name)", in: context, at: span)]
        }
        var found: [Diagnostic] = []
        for claim in descriptor.profile.claims.items where claims.first(of: claim.value.pointers) == nil {
            let pointers = claim.value.pointers.map(\.description).joined(separator: ", ")
            found.append(
                finding(
                    "\(pointers) leads to nothing in samples.\(name)",
                    in: context,
                    at: context.span("profile", "claims", claim.name),
                    related: [context.related("the sample", at: context.keySpan("samples", name))]
                )
            )
        }
        if descriptor.profile.claims["subject"] == nil, claims[JSONPointer(tokens: ["sub"])] == nil {
            found.append(
                finding(
                    "the sample has no subject at /sub",
                    in: context,
                    at: context.keySpan("samples", name),
                    help: "map it: profile: { claims: { subject: /id } }"
                )
            )
        }
        return found
    }

    /// The sample that the profile is taken from.
    private func source(_ descriptor: ProviderDescriptor) -> (name: String, sample: JSONValue)? {
        switch descriptor.profile.source {
        case .userinfo, nil: descriptor.samples.userinfo.map { ("userinfo", $0) }
        case .tokenResponse: descriptor.samples.token.map { ("token", $0) }
        case .idToken: nil
        }
    }
}
