import CarnetDescriptors
import CarnetFoundation

struct UnusedMTLSEndpoints: LintRule {
    let explanation = DiagnosticExplanation(
        code: "C081",
        name: "unused-mtls-endpoints",
        severity: .warning,
        summary: "The descriptor has endpoints for client certificates, but no client uses a certificate.",
        rationale: """
            Registrations with a certificate use the endpoints of mtls_endpoint_aliases. Without tls_client_auth or \
            self_signed_tls_client_auth among the methods, and without certificate-bound tokens, no registration \
            presents one. Usually the method is missing.
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
        guard !endpoints.isEmpty, !client.methods.contains(where: \.usesCertificate),
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
