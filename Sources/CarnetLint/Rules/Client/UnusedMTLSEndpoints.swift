import CarnetDescriptors

struct UnusedMTLSEndpoints: LintRule {
    let explanation = RuleExplanation(
        code: "C081",
        name: "unused-mtls-endpoints",
        severity: .warning,
        summary: "Endpoints for certificates are named, and nothing says that clients have any.",
        rationale: """
            The endpoints of mtls_endpoint_aliases are used by registrations with a certificate. Without \
            tls_client_auth or self_signed_tls_client_auth among the methods, and without tokens that are bound to \
            certificates, no registration has a reason to present one, so most often the method is what is missing.
            """,
        references: ["RFC 8705, sections 2 and 5"],
        bad: [
            """
            client: { authentication: [client_secret_basic] }
            issuer: https://id.acme.example
            endpoints: { ⟦mtls_endpoint_aliases⟧: { token: https://mtls.acme.example/token } }

            """
        ],
        good: [
            """
            client: { authentication: [tls_client_auth] }
            issuer: https://id.acme.example
            endpoints: { mtls_endpoint_aliases: { token: https://mtls.acme.example/token } }

            """
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let (endpoints, client) = (context.descriptor.endpoints.mtls, context.descriptor.client)
        guard !endpoints.isEmpty, !client.authentication.contains(where: \.usesCertificate),
            !client.certificateBoundAccessTokens, context.places.client.authentication.isWritten
        else { return [] }
        return [
            finding(
                "no method of client.authentication uses a certificate", in: context,
                at: context.places.endpoints.mtls.keySpan,
                help: "add tls_client_auth or self_signed_tls_client_auth to client.authentication")
        ]
    }
}
