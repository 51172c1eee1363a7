import CarnetDescriptors
import CarnetFoundation

struct SecretOfNobody: LintRule {
    let explanation = DiagnosticExplanation(
        "C080", name: "secret-of-nobody",
        summary: "A key needs the client secret, but no client of this provider has one.",
        rationale: """
            If no authentication method uses a secret, clients are registered without one. Carnet then cannot \
            validate an ID token or callback that is signed with the secret, or fill a template that uses it, so \
            every sign-in fails. A provider that signs for a public client would also sign with a value that \
            everybody knows.
            """,
        references: ["OpenID Connect Core 1.0, section 10.1", "RFC 6749, section 2.1", "RFC 8725, section 3.5"],
        bad: """
            client: { authentication: [none] }
            id_token: { ⟦hs256⟧: 'https://acme.example/docs: they have no public keys' }
            scopes: { default: [openid] }

            client: { authentication: [private_key_jwt] }
            callback: { ⟦verify⟧: { parameter: hmac } }

            client: { authentication: [none] }
            token: { headers: { X-Key: ⟦'{sha256(client.secret)}'⟧ } }
            """,
        good: """
            client: { authentication: [none, client_secret_post] }
            token: { headers: { X-Key: '{sha256(client.secret)}' } }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        let methods = descriptor.client.methods
        guard !methods.contains(where: \.usesSecret), !methods.isEmpty else { return [] }
        let names = methods.map(\.rawValue).joined(separator: ", ")
        func report(_ span: SourceSpan, _ what: String) -> Diagnostic {
            finding(
                "\(what) the client secret, but no client has one", in: context, at: span,
                help: "add a method with a secret, such as client_secret_post, to client.authentication: [\(names)]",
                related: [context.related("the methods", at: context.places.client.authentication.span)])
        }
        var found: [Diagnostic] = []
        if descriptor.idToken.hs256 != nil, descriptor.canHaveIDToken, descriptor.scopes.requestsOpenID {
            found.append(report(context.places.idToken.hs256.keySpan, "ID tokens are signed with"))
        }
        if descriptor.callback.verification != nil {
            found.append(report(context.places.callback.verification.keySpan, "callbacks are signed with"))
        }
        let secret = TemplateReference(.client, "secret")
        found += context.templateUses.filter { $0.template.expressions.contains { $0.references.contains(secret) } }
            .map { report($0.node.span, "this template uses") }
        return found
    }
}
