import CarnetDescriptors
import CarnetFoundation

struct ProfileWithoutOpenID: LintRule {
    let explanation = DiagnosticExplanation(
        "S014", name: "profile-without-openid",
        summary: "A sign-in needs the ID token or the scopes, and no scope asks for them.",
        rationale: """
            A server issues an ID token if the scope 'openid' is granted. Without it, a sign-in succeeds, and nobody knows \
            who signed in, or a value or a URL cannot be built. If the provider issues ID tokens anyway, add \
            'samples.token', a token response that has one.
            """,
        references: ["OpenID Connect Core 1.0, section 3.1.2.1"],
        bad: """
            issuer: https://id.acme.example
            scopes: { default: [email] }
            profile: { from: ⟦id_token⟧ }

            issuer: https://id.acme.example
            connection: { derive: { tenant: ⟦"{jwt_claim(token.id_token, '/tid')}"⟧, place: ⟦'at {client.scope}'⟧ } }

            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            profile: { from: token, derive: { subject: ⟦"{jwt_claim(token.id_token, '/tid')}"⟧ } }
            connection: { on_connect: [⟦'https://api.acme.example/{token.scope}'⟧] }
            """,
        good: """
            issuer: https://id.acme.example
            scopes: { required: [openid] }
            profile: { from: id_token }
            connection: { derive: { tenant: "{jwt_claim(token.id_token, '/tid')}", place: 'at {client.scope}' } }

            issuer: https://id.acme.example
            scopes: { default: [email] }
            profile: { from: id_token }
            samples:
              token: { access_token: redacted, token_type: Bearer, id_token: redacted }

            connection: { derive: { tenant: "{jwt_claim(token.id_token, '/tid')|none}", scopes: '{token.scope}' } }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        let (descriptor, scopes) = (context.descriptor, context.descriptor.scopes)
        let rules = descriptor.token.response
        let root = descriptor.samples.token?[rules.root]
        func isSampled(_ field: PointerList) -> Bool {
            field.pointers.contains { root?[$0]?.isStated == true }
        }
        // What cannot be validated is a finding of another rule.
        let isIssued = descriptor.canHaveIDToken || descriptor.samples.token == nil
        let hasIDToken = scopes.requestsOpenID && isIssued || isSampled(rules.fields.idToken)
        let hasScopes = !(scopes.defaults + scopes.required + scopes.offline).isEmpty
        let add = hasScopes ? "add the scope" : "add the scopes that it needs, such as"
        let help = "\(add): scopes: { default: [openid] }"
        var found: [Diagnostic] = []
        if descriptor.profile.source == .idToken, descriptor.canHaveIDToken, !hasIDToken {
            let message = "no scope asks for the ID token, which has the profile"
            found += findings(message, in: context, at: context.places.profile.source.span, help: help)
        }
        let scope = TemplateReference(.token, "scope")
        func isRefused(_ expression: TemplateExpression) -> Bool {
            switch expression {
            case .capture(.value(scope), let pattern): !pattern.matches("")
            case .mapped(.value(scope), let table): descriptor.tables[table]?[""] == nil
            default: expression.operands.contains(where: isRefused)
            }
        }
        for (template, isURL, span) in context.neededTemplates {
            let needed = template.requiredReferences
            if !hasIDToken, descriptor.idToken.none == nil, needed.contains(.idToken) {
                found += findings(
                    "no ID token comes, and this takes its claims", in: context, at: span,
                    help: descriptor.canHaveIDToken ? help : "without an issuer there are no ID tokens")
            }
            let isUnknown = needed.contains(TemplateReference(.client, "scope")) && scopes.whenEmpty != .send
            let isEmpty =
                needed.contains(scope) && !isSampled(rules.fields.scope)
                && (isURL || template.expressions.contains(where: isRefused))
            if !hasScopes, isUnknown || isEmpty {
                found += findings("no scope is requested, and this takes the scopes", in: context, at: span, help: help)
            }
        }
        return found
    }
}

extension LintContext {
    /// The templates without which a sign-in fails, or something of it.
    fileprivate var neededTemplates: [(template: Template, isURL: Bool, span: SourceSpan)] {
        var needed = calls.filter { !$0.rules.isOptional }.map { ($0.rules.url, true, $0.place.url.span) }
        for step in descriptor.exchange.items where !step.value.isOptional {
            needed.append((step.value.url, true, places.exchange[step.name].url.span))
        }
        for (index, resource) in descriptor.resources.enumerated() {
            needed.append((resource.url, true, places.resources[index].url.span))
        }
        for rule in descriptor.connection.derive.items where !rule.value.isOptional {
            needed.append((rule.value.template, false, places.connection.derive[rule.name].span))
        }
        if let userinfo = descriptor.endpoints[.userinfo] {
            needed.append((userinfo, true, places.endpoints[.userinfo].span))
        }
        if let subject = descriptor.profile.derive["subject"]?.template, descriptor.profile.subject == nil {
            needed.append((subject, false, places.profile.derive["subject"].span))
        }
        return needed
    }
}
