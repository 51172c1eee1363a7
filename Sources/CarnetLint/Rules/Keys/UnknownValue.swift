import CarnetDescriptors
import CarnetFoundation

struct UnknownValue: LintRule {
    let explanation = DiagnosticExplanation(
        "K120", name: "unknown-value",
        summary:
            "A template uses a value that no key keeps, that is only available later, or that a URL must not contain.",
        rationale: """
            Carnet keeps a value of a callback, a response, a step or a lookup only if a key names it. It leaves out \
            a parameter whose value is missing, and cannot request a URL whose value is missing. A step or lookup \
            can use the values of earlier ones, not those of later ones; a further request of the profile, the claims of those \
            before it. The subject names the account before the lookups and \
            the further requests of the profile. A URL must not contain a secret value, because \
            servers and proxies log URLs.
            """,
        bad: """
            token: { parameters: { shop: '⟦{callback.shop}⟧' } }

            api: { base_url: '⟦{token.instance_url}⟧' }
            trusted_hosts: ['*.acme.example']
            token: { response: { capture: { instance: /instance_url } } }

            token: { parameters: { region: "⟦{map(callback.state, 'regions')}⟧" } }

            token: { headers: { X-Device: '⟦{request.device_code}⟧' } }

            profile: { headers: { X-Token: '⟦{request.assertion}⟧' } }

            connection:
              lookups:
                site: { url: 'https://api.acme.example/⟦{connection.company}⟧', value: /id, sample: { id: 7 } }
                company: { url: https://api.acme.example/companies, value: /id, sample: { id: 7 } }

            endpoints:
              authorization: https://acme.example/authorize
              token: https://acme.example/token
              userinfo: 'https://acme.example/users/⟦{token.user}⟧'
            token: { response: { capture: { user: { from: /user, example: u1, secret: true } } } }

            connection: { derive: { one: '⟦{connection.two}⟧', two: '⟦{connection.one}⟧' } }

            profile:
              requests:
                - { url: 'https://api.acme.example/⟦{claim.team}⟧', claims: { role: /role } }
                - { url: 'https://api.acme.example/users/{claim.subject}', claims: { team: /team } }

            profile: { derive: { subject: '⟦{connection.company}⟧:{claim.subject}' } }
            connection:
              lookups:
                company: { url: https://api.acme.example/companies, value: /id, sample: { id: 7 } }

            profile:
              derive: { subject: '⟦{claim.number}⟧' }
              requests: [{ url: 'https://api.acme.example/numbers', claims: { number: /number } }]

            issuer: https://id.acme.example/common
            issuer_match: { template: 'https://id.acme.example/{tid}', claims: { ⟦tenant⟧: tid } }

            issuer: https://id.acme.example/common
            issuer_match: { template: 'https://id.acme.example/{tenant}', claims: { tenant: ⟦/tid⟧ } }
            """,
        good: """
            connection:
              derive: { slug: '{lower(connection.name)}' }
              lookups:
                company: { url: https://api.acme.example/me, value: /id, capture: { name: /name }, sample: { id: 7, name: A } }
                site: { url: 'https://api.acme.example/{connection.slug}', value: /id, sample: { id: 8 } }

            callback: { capture: { shop: { pattern: '[a-z]+', example: acme } } }
            token: { parameters: { shop: '{callback.shop}', region: "{map(callback.shop, 'regions')|eu}" } }
            tables: { regions: { acme: us } }

            client: { authentication: [private_key_jwt] }
            jwt_bearer: { omit: [assertion], headers: { X-Assertion: '{request.assertion}' } }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        placesOfIssuer(context) + valuesOfTemplates(context)
    }

    /// Claims for places that the template of the issuer lacks, and pointers, which no token has as a name.
    private func placesOfIssuer(_ context: LintContext) -> [Diagnostic] {
        guard case .template(let template, _, _) = context.descriptor.issuerMatch else { return [] }
        return (context.places.issuerMatch.node?.entry("claims")?.value.entries ?? []).compactMap { claim in
            guard template.inputNames.contains(claim.key) else {
                return finding(
                    "the template has no {\(claim.key)}", in: context, at: claim.keySpan,
                    help: "name a place of the template, or remove it")
            }
            guard claim.value.scalar?.text.hasPrefix("/") == true else { return nil }
            return finding(
                "this is a pointer, not the name of a claim", in: context, at: claim.value.span,
                help: "write the name without the slash")
        }
    }

    private func valuesOfTemplates(_ context: LintContext) -> [Diagnostic] {
        let uses = context.templateUses.filter(\.template.isLate)
        guard !uses.isEmpty else { return [] }
        let known = context.descriptor.keptValues
        let tables = context.descriptor.tables.names
        let secrets = context.descriptor.markedSecrets
        // Its URL may hold a token (see C020).
        let revocation = context.places.endpoints.entries.first { $0.key == EndpointName.revocation.rawValue }?.value
        return uses.flatMap { use in
            let later = context.laterValues(than: use.node)
            let known = known.union(use.parameters.map { TemplateReference(.request, $0) })
            let missing = use.template.references.filter { !known.contains($0) || later.contains($0) }.first
            if let missing {
                let (problem, help) = context.absence(
                    of: missing, in: use.node, isLater: later.contains(missing), known: known.subtracting(later))
                return findings(
                    problem, in: context, at: context.span(of: use.place(of: missing), in: use.node), help: help)
            }
            if use.isURL, use.node != revocation, let secret = use.template.references.first(where: secrets.contains) {
                return findings(
                    "the value \"\(secret)\" is secret, and a URL must not contain it", in: context,
                    at: context.span(of: use.place(of: secret), in: use.node),
                    help: "send it in a header or in the body")
            }
            return use.template.tables.filter { !tables.contains($0) }.prefix(1).map { table in
                finding(
                    "there is no table \"\(table)\" in tables", in: context,
                    at: context.span(of: use.template.source[...], in: use.node),
                    help: context.nearest(to: table, in: tables).map { "did you mean '\($0)'?" }
                        ?? "add it: tables: { \(table): { VALUE: VALUE } }")
            }
        }
    }
}

extension ProviderDescriptor {
    /// The captured values that are secret, and what is derived of secrets.
    var markedSecrets: Set<TemplateReference> {
        func references(_ origin: TemplateOrigin, _ list: NamedList<ResponseCapture>) -> [TemplateReference] {
            list.items.filter(\.value.isSecret).map { TemplateReference(origin, $0.name) }
        }
        let callback = self.callback.capture.items.filter(\.value.isSecret)
        var marked = Set(
            callback.map { TemplateReference(.callback, $0.name) } + references(.token, self.token.response.capture)
                + self.exchange.items.flatMap { references(.step, $0.value.capture) }
                + self.connection.lookups.items.flatMap { references(.connection, $0.value.capture) })
        for derived in self.connection.derive.items
        where derived.value.template.expressions.contains(where: { $0.isSecret(marked.contains) }) {
            marked.insert(TemplateReference(.connection, derived.name))
        }
        return marked
    }
}

extension TemplateOrigin {
    fileprivate func keyThatKeeps(_ name: String) -> String {
        switch self {
        case .callback: "keep it: callback: { capture: { \(name): { pattern: ..., example: ... } } }"
        case .token: "keep it: token: { response: { capture: { \(name): /\(name) } } }"
        case .step: "keep it in a step: exchange: { NAME: { capture: { \(name): /\(name) } } }"
        case .connection: "look it up or derive it in connection"
        case .claim: "map it: profile: { claims: { \(name): /\(name) } }"
        case .request: "a header can have the parameters that the standard defines for its own request"
        case .input, .client: "declare it"
        }
    }
}

extension LintContext {
    /// The values that are derived from these, directly or not.
    private func derived(from references: Set<TemplateReference>) -> Set<TemplateReference> {
        var found = references
        var open = descriptor.connection.derive.items
        while let index = open.firstIndex(where: { $0.value.template.references.contains(where: found.contains) }) {
            found.insert(TemplateReference(.connection, open.remove(at: index).name))
        }
        return found
    }

    /// The values that are not available yet when a template is filled.
    fileprivate func laterValues(than node: YAMLNode) -> Set<TemplateReference> {
        func later(_ entries: [YAMLEntry], _ names: (String) -> [TemplateReference]) -> Set<TemplateReference> {
            guard let index = entries.firstIndex(where: { $0.value.span.contains(node.span) }) else { return [] }
            return Set(entries[index...].flatMap { names($0.key) })
        }
        let steps = later(places.exchange.entries) { name in
            descriptor.exchange[name]?.capture.names.map { TemplateReference(.step, $0) } ?? []
        }
        let lookups = descriptor.connection.lookups
        let later = later(places.connection.lookups.entries) { name in
            lookups.items.first { $0.name == name }?.references ?? []
        }
        // A value cannot be derived from itself.
        let own = places.connection.derive.entries.filter { $0.value.span.contains(node.span) }
            .map { TemplateReference(.connection, $0.key) }
        let further = places.profile.requests.all.firstIndex { $0.span.contains(node.span) }
        let claims = further.map { descriptor.profile.claimsAfter(request: $0) } ?? []
        return steps.union(derived(from: later.union(own))).union(isSubject(node) ? valuesAfterSubject : [])
            .union(claims)
    }

    /// Whether a template makes the subject.
    private func isSubject(_ node: YAMLNode) -> Bool {
        places.profile.derive["subject"].node?.span.contains(node.span) ?? false
    }

    /// The values that are not known when the subject is made, of the first response of the profile.
    private var valuesAfterSubject: Set<TemplateReference> {
        descriptor.keptValues.filter(descriptor.profile.isKnownAfterSubject)
    }

    /// Why a template cannot have a value, and what to do.
    fileprivate func absence(
        of value: TemplateReference, in node: YAMLNode, isLater: Bool, known: Set<TemplateReference>
    ) -> (problem: String, help: String?) {
        if value == .idToken, descriptor.idToken.none != nil {
            return (
                "the value \"\(value)\" does not exist, because id_token.none drops the ID token",
                "read the value elsewhere; or name the issuer, and remove id_token.none"
            )
        }
        let names = known.filter { $0.origin == value.origin }.map(\.name).sorted()
        let guess = nearest(to: value.name, in: names).map { "did you mean {\(value.origin.rawValue).\($0)}?" }
        let problem =
            value.origin == .request
            ? "the request has no parameter \"\(value.name)\"" : "no key keeps the value \"\(value)\""
        guard isLater else { return (problem, guess ?? value.origin.keyThatKeeps(value.name)) }
        let order =
            isSubject(node)
            ? "the subject is made before lookups and further requests: of the callback, the tokens and the first response"
            : "move the step, lookup or request that provides it further up, or do not use it here"
        return ("the value \"\(value)\" is not available yet", guess ?? order)
    }
}
