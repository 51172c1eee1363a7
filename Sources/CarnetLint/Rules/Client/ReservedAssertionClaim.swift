import CarnetDescriptors

struct ReservedAssertionClaim: SingleValueRule {
    let explanation = RuleExplanation(
        code: "C042",
        name: "reserved-assertion-claim",
        summary: "The additional claims of an assertion contain one that is made for each assertion.",
        rationale: """
            Issuer, subject and audience have keys of their own, and times and id are new each time: a constant in their \
            place would make an assertion that can be used again. Nothing is sent with such a descriptor.
            """,
        references: ["RFC 7523, section 3", "OpenID Connect Core 1.0, section 9"],
        bad: [
            "client: { authentication: [private_key_jwt], assertion: { claims: { ⟦jti⟧: once } } }\n",
            "jwt_bearer: { assertion: { claims: { ⟦sub⟧: somebody } } }\n",
        ],
        good: [
            """
            inputs: { team: { example: T1 } }
            client: { authentication: [private_key_jwt], assertion: { claims: { team: '{team}' } } }

            """
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        context.assertions.flatMap { section in
            section.place.claims.entries.filter { AssertionRules.ownClaims.contains($0.key) }.map { entry in
                let own = ["iss": "issuer", "sub": "subject", "aud": "audience", "exp": "lifetime"][entry.key]
                return finding(
                    "\"\(entry.key)\" is set by Carnet itself", in: context, at: entry.keySpan,
                    help: own.map { "say it with \(section.name).\($0)" } ?? "remove it")
            }
        }
    }
}
