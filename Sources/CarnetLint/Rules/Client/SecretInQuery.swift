import CarnetDescriptors
import CarnetFoundation

struct SecretInQuery: LintRule {
    let explanation = DiagnosticExplanation(
        "C010", name: "secret-in-query", severity: .warning,
        summary: "A request sends codes, tokens or client secrets in the query of a URL.",
        rationale: """
            Servers and proxies log URLs. The token endpoint takes POST with a body, and client credentials must \
            never be in a URL. Few providers require it. If this one does, write a note about the key with the reason.
            """,
        references: ["RFC 6749, section 2.3.1", "RFC 6749, section 3.2", "RFC 9700, section 4.3"],
        bad: [
            "token: { method: ⟦GET⟧ }",
            "token: { body: ⟦query⟧ }",
            "revocation: { body: ⟦query⟧ }",
            "token: { query_parameters: [redirect_uri, ⟦code_verifier⟧] }",
            "token: { query_parameters: [⟦key⟧], parameters: { key: '{client.secret}' } }",
            "client: { authentication: [private_key_jwt] }\nrefresh: { query_parameters: [⟦client_assertion⟧] }",
        ],
        good: [
            "token: { method: POST, body: json, query_parameters: [redirect_uri] }",
            "token: { query_parameters: [app], parameters: { app: '{client.id}', key: '{client.secret}' } }",
            "client: { authentication: [client_secret_basic] }\nclient_credentials: { method: GET }",
            "client: { authentication: [none] }\ndevice: { body: query }",
            "token: { method: GET }\nnotes: [{ about: token.method, because: their reference shows a GET }]",
        ])

    let isReminder = true

    func check(_ context: LintContext) -> [Diagnostic] {
        context.requests.flatMap { request -> [Diagnostic] in
            guard let kind = request.kind, kind.authenticatesClient, let places = request.rules,
                let rules = context.descriptor.rules(of: kind)
            else { return [] }
            let secrets = context.descriptor.secretParameters(of: kind, rules)
            let queried = places.queryParameters.elements.filter { node in
                node.scalar.map { secrets.contains($0.text) } ?? false
            }
            var found = queried.map {
                finding(
                    "the secret is sent in the URL", in: context, at: $0.span, help: "remove it from query_parameters")
            }
            let span: SourceSpan? =
                if rules.body == .query {
                    places.body.span
                } else if rules.method == .get, rules.body == nil {
                    places.method.span
                } else {
                    nil
                }
            if let span, !secrets.isEmpty {
                found += findings(
                    "the \(kind.section) request sends its secrets in the URL", in: context, at: span,
                    help: "use POST with a form or json body, if the provider accepts it")
            }
            return found
        }
    }
}

extension ProviderDescriptor {
    /// The parameters of a request that are codes, tokens or credentials, by the names that the file uses.
    fileprivate func secretParameters(of kind: RequestKind, _ rules: RequestRules) -> Set<String> {
        // Without a list, a client may also authenticate in the body.
        let methods = authentication(in: kind).map { [$0] } ?? self.client.methods
        let sent = kind.parameters.map(\.name).filter { name in
            guard name.isSecret, !rules.omit.contains(name.rawValue) else { return false }
            return switch name {
            case .clientSecret: methods.contains(.clientSecretPost)
            case .clientAssertion: methods.contains(where: \.usesAssertion)
            case .codeVerifier: self.authorization.pkce.isRequired
            case .token: kind != .revocation || self.revocation.tokenIn == nil
            default: true
            }
        }
        return Set(sent.map(\.rawValue) + rules.parameters.items.filter { $0.value.shows() }.map(\.name))
    }
}
