import CarnetDescriptors

struct SecretOfNobody: LintRule {
    let explanation = RuleExplanation(
        code: "C080",
        name: "secret-of-nobody",
        summary: "A key needs the client's secret, and no client of this provider has one.",
        rationale: """
            A client whose methods of authentication use no secret is registered without one. An ID token or a callback \
            that is signed with the secret can then not be checked, and a value that is made of it not be sent, so every \
            sign-in fails. Worse, a provider that signs for a public client signs with something that everybody knows.
            """,
        references: ["OpenID Connect Core 1.0, section 10.1", "RFC 6749, section 2.1", "RFC 8725, section 3.5"],
        bad: [
            """
            client: { authentication: [none] }
            id_token: { ⟦hs256⟧: 'https://acme.example/docs: they have no public keys' }

            """,
            """
            client: { authentication: [private_key_jwt] }
            callback: { ⟦verify⟧: { parameter: hmac } }

            """,
            """
            client: { authentication: [none] }
            token: { headers: { X-Key: ⟦'{sha256(client.secret)}'⟧ } }

            """,
        ],
        good: [
            """
            client: { authentication: [none, client_secret_post] }
            token: { headers: { X-Key: '{sha256(client.secret)}' } }

            """
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        guard !descriptor.client.mayHaveSecret, !descriptor.client.authentication.isEmpty else { return [] }
        let methods = descriptor.client.authentication.map(\.rawValue).joined(separator: ", ")
        func report(_ span: SourceSpan, _ what: String) -> Diagnostic {
            finding(
                "\(what) the client's secret, and no client has one",
                in: context,
                at: span,
                help: "name a method with a secret beside \(methods): client: { authentication: [client_secret_post] }",
                related: [context.related("the methods", at: context.places.client.authentication.span)]
            )
        }
        var found: [Diagnostic] = []
        if descriptor.idToken.hs256 != nil {
            found.append(report(context.places.idToken.hs256.keySpan, "ID tokens are signed with"))
        }
        if descriptor.callback.verification != nil {
            found.append(report(context.places.callback.verification.keySpan, "callbacks are signed with"))
        }
        let secret = TemplateReference(.client, "secret")
        found += context.templateUses.filter { $0.template.expressions.contains { $0.references.contains(secret) } }
            .map { report($0.node.span, "this is made of") }
        return found
    }
}

extension ClientRules {
    /// Whether some registration has a secret.
    var mayHaveSecret: Bool { authentication.contains(where: \.usesSecret) }
}
