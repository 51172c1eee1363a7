import CarnetDescriptors
import CarnetFoundation

struct OpenIDWithoutIssuer: LintRule {
    let explanation = DiagnosticExplanation(
        "S007", name: "openid-without-issuer",
        summary: "The provider sends an ID token that Carnet could not validate.",
        rationale: """
            Carnet validates the issuer, audience and signature of each ID token. It needs the issuer, and the keys \
            from the issuer's metadata document or from 'endpoints.jwks'. A provider without ID tokens may have an \
            ordinary scope with the name 'openid'. Then add 'samples.token', a token response without an ID token. If \
            the provider sends an ID token that nothing needs, 'id_token: { none: REASON }' drops it unread.
            """,
        references: ["OpenID Connect Core 1.0, section 3.1.3.7"],
        bad: """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
              jwks: https://id.acme.example/jwks
            scopes: { default: [⟦openid⟧] }

            resource: https://api.acme.example
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            scopes: { default: [⟦openid⟧] }

            issuer: https://id.acme.example
            discovery: none
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            scopes: { default: [⟦openid⟧] }

            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            samples: { token: { access_token: redacted, token_type: Bearer, id_token: ⟦redacted⟧ } }

            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            token: { response: { fields: { access_token: ⟦/id_token⟧ } } }
            """,
        good: [
            "issuer: https://id.acme.example\nscopes: { default: [openid] }",
            """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            id_token: { none: The issuer is not documented. }
            samples: { token: { access_token: redacted, token_type: Bearer, id_token: redacted } }

            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            scopes: { default: [openid] }
            samples: { token: { access_token: redacted, token_type: Bearer } }

            issuer: https://id.acme.example
            discovery: none
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
              jwks: https://id.acme.example/jwks
            scopes: { default: [openid] }

            issuer: https://id.acme.example
            discovery: none
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            scopes: { default: [openid] }
            id_token: { hs256: The server has no keys. }

            resource: https://api.acme.example
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            scopes: { default: [openid] }
            profile: { from: userinfo }
            """,
        ])

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        guard descriptor.idToken.none == nil else { return [] }
        let use = context.scopeUses.first { $0.place == .requested && $0.scope == "openid" }?.node.span
        let sent = sentIDToken(context)
        let help: String
        if !descriptor.canHaveIDToken || descriptor.isResourceWithoutMetadata {
            if descriptor.samples.token != nil, sent == nil { return [] }
            help =
                "add 'issuer'; or, if nothing needs the ID token, 'id_token: { none: REASON }'"
                + (sent == nil ? "; or samples.token if no ID token comes" : "")
        } else if descriptor.isWithout(.jwks), descriptor.idToken.hs256 == nil, use != nil || sent != nil {
            help = "add 'endpoints.jwks', or remove 'discovery: none'"
        } else {
            return []
        }
        guard let span = use ?? sent else { return [] }
        return [finding("Carnet cannot validate the ID token", in: context, at: span, help: help)]
    }

    /// The ID token in a sample of a token response, or that which is the access token.
    private func sentIDToken(_ context: LintContext) -> SourceSpan? {
        let descriptor = context.descriptor
        let fields = descriptor.token.response.fields
        if descriptor.samples.token == nil, fields.accessToken.pointers.first == fields.idToken.pointers.first {
            return context.places.token.response.fields.accessToken.span
        }
        let samples = [
            (descriptor.samples.token, context.places.samples.token, descriptor.token.response),
            (
                descriptor.samples.refresh, context.places.samples.refresh,
                descriptor.refresh.response ?? descriptor.token.response
            ),
        ]
        return samples.lazy.compactMap { sample, place, rules in
            guard let root = sample?[rules.root] else { return nil }
            let pointer = rules.fields.idToken.pointers.first { root[$0]?.string?.isEmpty == false }
            return pointer.map { place.node?.node(at: rules.root.tokens + $0.tokens)?.span ?? place.keySpan }
        }.first
    }
}

extension ProviderDescriptor {
    /// Whether the endpoints of a resource are known, so that nothing requests the metadata that names its issuer.
    var isResourceWithoutMetadata: Bool {
        let needed: [EndpointName] =
            [.authorization, .token] + (self.authorization.pushed.use == .always ? [.pushedAuthorizationRequest] : [])
            + (self.profile.source == .userinfo ? [.userinfo] : [])
        return self.issuer == nil && self.discoveryURL == nil && self.discovery == nil
            && needed.allSatisfy { self.endpoints[$0] != nil }
            && self.authorization.responseMode?.isSigned != true && self.profile.jwt == nil
            && self.introspection.jwt == nil
    }
}
