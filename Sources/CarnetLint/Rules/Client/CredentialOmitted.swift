import CarnetDescriptors
import CarnetFoundation

struct CredentialOmitted: LintRule {
    let explanation = DiagnosticExplanation(
        "C018", name: "credential-omitted",
        summary: "'omit' leaves out the code, token or assertion that the request is about.",
        rationale: """
            A server cannot grant, exchange or revoke what the request does not name. 'omit' is possible if a \
            parameter, a header or the URL contains the value instead; for a revocation, any value of the sign-in, which \
            names the account; for a code, also a step of 'exchange'. Further grants inherit the 'omit' of 'token'. Use \
            'rename' for a parameter with another name.
            """,
        references: ["RFC 6749, section 4.1.3", "RFC 6749, section 6", "RFC 7009, section 2.1"],
        bad: [
            "token: { omit: [⟦code⟧] }",
            "token: { omit: [⟦refresh_token⟧] }",
            "introspection: { omit: [⟦token⟧] }",
            "device: { token: { omit: [⟦device_code⟧] } }",
            "jwt_bearer: { omit: [⟦assertion⟧], headers: { X-Grant: '{request.grant_type}' } }",
            """
            token: { omit: [⟦code⟧] }
            exchange: { user: { url: https://api.acme.example/user, parameters: { code: '{callback.code}' }, brings: values } }
            """,
        ],
        good: [
            "token: { rename: { code: auth_code } }",
            "token: { omit: [code], body: json, parameters: { auth: { value: '{callback.code}' } } }",
            "refresh: { omit: [refresh_token], headers: { X-Refresh-Token: '{token.refresh_token}' } }",
            "jwt_bearer: { omit: [assertion], headers: { Authorization: 'Bearer {request.assertion}' } }",
            "token: { omit: [refresh_token] }\nrefresh: { parameters: { session: '{token.refresh_token}' } }",
            """
            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
              revocation: https://acme.example/deauthorize
            token: { response: { capture: { account: { from: /account, example: a1 } } } }
            revocation: { omit: [token, token_type_hint], parameters: { account: '{token.account}' } }

            authorization: { pkce: { none: The token is the application's. } }
            token: { omit: [code, redirect_uri] }
            exchange:
              user:
                url: https://api.acme.example/user
                parameters: { code: '{callback.code}' }
                brings: values
                capture: { userid: { from: /userid, example: u1 } }
            """,
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        lostVerifier(context)
            + RequestKind.allCases.compactMap { kind in
                guard let name = kind.credential?.rawValue, let rules = context.places.rules(of: kind),
                    let element = omitted(kind, rules, context).first(where: { $0.scalar?.text == name }),
                    !isElsewhere(rules, kind, context)
                else { return nil }
                return finding(
                    "\"\(name)\" cannot be left out", in: context, at: element.span,
                    help: kind == .revocation
                        ? "for another name, use rename: { token: NAME }; or add what names the account to parameters"
                        : "if the provider has another name for it, use rename: { \(name): NAME }")
            }
    }

    /// What a request leaves out. Each sign-in may have a refresh; other grants are those that the descriptor names.
    private func omitted(
        _ kind: RequestKind, _ rules: Place<RequestRules>, _ context: LintContext
    ) -> [YAMLNode] {
        let hasDevices = kind == .deviceToken && context.descriptor.endpoints[.deviceAuthorization] != nil
        let isSent = kind == .refresh || hasDevices || rules.isWritten
        let isInherited = kind.inheritsToken && !rules.omit.isWritten && isSent
        return (isInherited ? context.places.token.request.omit : rules.omit).elements
    }

    /// The code verifier stays with the token request, so a code in a later one would be without it.
    private func lostVerifier(_ context: LintContext) -> [Diagnostic] {
        let (descriptor, omitted) = (context.descriptor, context.places.token.request.omit)
        guard descriptor.authorization.pkce.isRequired,
            descriptor.exchange.items.contains(where: { $0.value.takesCode }),
            let element = omitted.elements.first(where: { $0.scalar?.text == StandardParameter.code.rawValue })
        else { return [] }
        return findings(
            "a later step has the code, and the code verifier is sent without it", in: context, at: element.span,
            help: "if this provider has no PKCE, write authorization: { pkce: { none: REASON } }")
    }

    /// Whether another part of the request may contain the value.
    private func isElsewhere(_ rules: Place<RequestRules>, _ kind: RequestKind, _ context: LintContext) -> Bool {
        if kind == .revocation, context.places.revocation.tokenIn.isWritten { return true }
        if kind == .refresh, context.descriptor.refresh.using != .refreshToken { return true }
        let steps = context.descriptor.exchange.items.map(\.value)
        if kind == .token, steps.contains(where: \.takesCode) { return true }
        if kind == .refresh, steps.contains(where: { $0.repeatsAfterRefresh && $0.takes("refresh_token", of: .token) })
        {
            return true
        }
        let endpoints = context.descriptor.endpoints
        let url = kind == .refresh ? endpoints[.refresh] ?? endpoints[.token] : endpoints[kind.endpoint]
        // Without an endpoint, the request is never sent.
        let isFound = context.descriptor.issuer != nil || context.descriptor.resource != nil
        guard url != nil || isFound || !context.isWhole else { return true }
        let inheritsHeaders = kind.inheritsToken && !rules.headers.isWritten
        let headers = inheritsHeaders ? context.places.token.request.headers : rules.headers
        let texts = (rules.parameters.entries + headers.entries).flatMap(\.value.texts)
        let templates = [url].compactMap { $0 } + texts.compactMap { try? Template($0, in: .anywhere) }
        return templates.contains { template in
            template.references.contains { value in
                guard value.origin != .request else { return value.name == kind.credential?.rawValue }
                return value.isAlwaysSecret || kind == .revocation && value.origin != .client
            }
        }
    }
}

extension YAMLNode {
    /// The strings of a value.
    var texts: [String] {
        scalar.map { [$0.text] } ?? parts.flatMap(\.texts)
    }
}
