import CarnetDescriptors
import CarnetFoundation

struct RequestObjectWithoutAudience: LintRule {
    let explanation = DiagnosticExplanation(
        "C044", name: "request-object-without-audience",
        summary: "Authorization requests or assertions are signed, but have no audience.",
        rationale: """
            A signed request or assertion names the server that it is for, so that no other server accepts it. The \
            audience is the issuer, or the value of 'audience'. Without either, Carnet can make no request.
            """,
        references: ["RFC 9101, section 4", "RFC 9101, section 10.8"],
        bad: """
            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
            authorization: { ⟦request_object⟧: always }

            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
            client: { authentication: [private_key_jwt] }
            jwt_bearer: { assertion: { audience: ⟦issuer⟧ } }

            resource: https://api.acme.example
            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
            authorization: { ⟦request_object⟧: always }
            """,
        good: """
            authorization: { request_object: always }

            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
            authorization: { request_object: { use: always, audience: https://acme.example } }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        guard descriptor.issuer == nil, descriptor.resource == nil || descriptor.isResourceWithoutMetadata
        else { return [] }
        let assertions = context.assertions.filter { $0.rules.audience?.source == "issuer" && $0.isUsed(in: context) }
            .filter { !$0.isOfClient || context.places.client.authentication.isWritten }.map { section in
                finding(
                    "the audience is the issuer, but the provider has no issuer", in: context,
                    at: section.place.audience.span, help: "add the issuer, or write token_endpoint or a URI")
            }
        let rules = context.descriptor.authorization.requestObject
        guard rules.use == .always, rules.audience == nil else { return assertions }
        let request = finding(
            "a signed request has no audience", in: context, at: context.places.authorization.requestObject.keySpan,
            help: "add the issuer, or audience beside 'use: always'")
        return assertions + [request]
    }
}
