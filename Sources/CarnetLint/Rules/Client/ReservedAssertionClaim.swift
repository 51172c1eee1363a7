import CarnetDescriptors

struct ReservedAssertionClaim: SingleValueRule {
    let explanation = DiagnosticExplanation(
        "C042", name: "reserved-assertion-claim",
        summary: "The additional claims of an assertion contain a claim that Carnet sets.",
        rationale: """
            Issuer, subject and audience have keys of their own. Carnet sets the times and the id for each assertion; \
            with fixed values, somebody could reuse it. Carnet sends no request with such a descriptor.
            """,
        references: ["RFC 7523, section 3", "OpenID Connect Core 1.0, section 9"],
        bad: [
            "client: { authentication: [private_key_jwt], assertion: { claims: { ⟦jti⟧: once } } }",
            "jwt_bearer: { assertion: { claims: { ⟦sub⟧: somebody } } }",
        ],
        good: """
            inputs: { team: { example: T1 } }
            client: { authentication: [private_key_jwt], assertion: { claims: { team: '{team}' } } }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        context.assertions.filter { $0.isUsed(in: context) }.flatMap { section in
            section.place.claims.entries.filter { AssertionRules.ownClaims.contains($0.key) }.map { entry in
                let own = ["iss": "issuer", "sub": "subject", "aud": "audience", "exp": "lifetime"][entry.key]
                return finding(
                    "Carnet sets \"\(entry.key)\" itself", in: context, at: entry.keySpan,
                    help: own.map { "use \(section.name).\($0)" } ?? "remove it")
            }
        }
    }
}
