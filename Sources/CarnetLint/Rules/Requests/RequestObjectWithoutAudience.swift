import CarnetDescriptors

struct RequestObjectWithoutAudience: LintRule {
    let explanation = DiagnosticExplanation(
        code: "C044",
        name: "request-object-without-audience",
        summary: "Authorization requests are signed, but have no audience.",
        rationale: """
            A signed request names the server that it is for, so that no other server accepts it. The audience is the \
            issuer, or the value of 'audience'. Without either, Carnet can make no request.
            """,
        references: ["RFC 9101, section 4", "RFC 9101, section 10.8"],
        bad: [
            """
            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
            authorization: { ⟦request_object⟧: always }

            """
        ],
        good: [
            "authorization: { request_object: always }\n",
            """
            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
            authorization: { request_object: { use: always, audience: https://acme.example } }

            """,
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let rules = context.descriptor.authorization.requestObject
        guard rules.use == .always, rules.audience == nil, context.descriptor.issuer == nil else { return [] }
        return [
            finding(
                "a signed request has no audience", in: context,
                at: context.places.authorization.requestObject.keySpan,
                help: "add the issuer, or audience beside 'use: always'")
        ]
    }
}
