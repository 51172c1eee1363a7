import CarnetDescriptors
import CarnetFoundation

struct KeyWithoutEffect: LintRule {
    let explanation = DiagnosticExplanation(
        "K106", name: "key-without-effect", severity: .warning,
        summary: "A key or an issuer has no effect, because another key disables it or says the same.",
        rationale: """
            The author of the key expects an effect that it does not have. Usually the other key is the mistake.
            """,
        bad: [
            """
            discovery: none
            ⟦discovery_url⟧: https://id.acme.example/metadata.json
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token

            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            profile: { ⟦claims⟧: { subject: /id } }
            samples: { ⟦userinfo⟧: { id: 7 } }
            """,
            "client: { authentication: [client_secret_post], ⟦basic_encoding⟧: raw }",
            "client: { authentication: [client_secret_post], ⟦assertion⟧: { lifetime: 30 } }",
            """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            ⟦revocation⟧: { body: json }
            ⟦device⟧: { body: json }
            ⟦logout⟧: { parameters: { federated: 'yes' } }

            issuer: https://id.acme.example
            endpoints: { ⟦pushed_authorization_request⟧: 'https://id.acme.example/par' }
            authorization: { pushed: never }
            """,
            "authorization: { request_object: { use: never, ⟦algorithm⟧: ES256 } }",
            "api: { token_in: { header: X-Acme-Token }, ⟦scheme⟧: OAuth }",
            "issuer: https://id.acme.example\nissuer_match: { any_of: [⟦https://id.acme.example⟧] }",
            "authorization: { fragment_route: /authorize, ⟦fragment⟧: top }",
            "token: { response: { accept_token_types: [⟦DPoP⟧] } }",
            """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            ⟦introspection⟧: { body: json }
            refresh: { ⟦expiry_from⟧: introspection }
            """,
            "profile: { jwt: [ES256], ⟦format⟧: json }",
            "profile: { from: id_token, ⟦headers⟧: { X-Version: '2' } }\nscopes: { default: [openid] }",
            """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            profile: { from: token, claims: { subject: /id } }
            samples: { ⟦userinfo⟧: { id: 7 } }
            """,
            """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            scopes: { default: [photos] }
            authorization: { ⟦nonce⟧: required }
            ⟦id_token⟧: { algorithms: [ES256] }

            api: { parameters: { format: json } }
            profile:
              headers: { ⟦X-Version⟧: null }
              requests: [{ url: 'https://api.acme.example/emails', parameters: { format: null, ⟦v⟧: null }, claims: { email: /email } }]

            profile: { headers: { ⟦Authorization⟧: null } }

            scopes: { default: [photos] }
            resources: [{ title: Photos, url: 'https://api.acme.example/photos', ⟦any_of⟧: [], ⟦acr⟧: [] }]
            profile:
              claims: { phone: { root: /phones, ⟦where⟧: {}, first: /number } }
              requests: [{ url: 'https://api.acme.example/emails', ⟦any_of⟧: [], ⟦where⟧: {}, ⟦claims⟧: {} }]

            client: { authentication: [client_secret_basic] }
            token: { omit: [⟦client_id⟧], rename: { ⟦client_secret⟧: key } }
            refresh: { omit: [⟦client_secret⟧] }

            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
              end_session: https://id.acme.example/logout
            client: { authentication: [private_key_jwt] }
            authorization: { omit: [⟦nonce⟧] }
            token: { encode: { ⟦client_secret⟧: raw, client_assertion: raw } }
            logout: { omit: [⟦id_token_hint⟧, client_id] }

            profile:
              claims: { contact: /mail, ⟦email_verified⟧: /verified }
              derive: { email: '{lower(claim.contact)}' }

            endpoints: { token: 'https://id.acme.example/token' }
            client_credentials: {}
            ⟦authorization⟧: { parameters: { audience: api } }
            ⟦callback⟧: { rename: { code: auth_code } }
            profile: { ⟦claims⟧: { subject: /id } }
            connection:
              lookups: { site: { url: 'https://api.acme.example/sites', value: /id, ⟦choose⟧: ask, sample: [{ id: s1 }] } }
              ⟦on_connect⟧: [https://api.acme.example/hello]
            """,
        ],
        good: """
            revocation: { body: json }
            id_token: { algorithms: [ES256] }

            client: { authentication: [client_secret_basic] }
            token: { omit: [client_secret], parameters: { client_secret: fixed }, rename: { client_id: app } }
            device: { rename: { client_id: app } }
            refresh: { authentication: client_secret_post }

            client: { authentication: [client_secret_post, client_secret_basic] }
            token: { omit: [client_id], rename: { client_secret: key } }
            resources: [{ title: Search, url: 'https://api.acme.example/search', all_of: [] }]

            client: { authentication: [client_secret_basic] }
            token: { rename: { client_secret: key } }
            environments: { test: { client: { authentication: [client_secret_post] } } }

            discovery_url: https://id.acme.example/metadata.json
            issuer_match: { any_of: ['https://id.acme.example/eu'] }

            profile:
              claims: { contact: /mail, confirmed: /verified }
              derive: { email: '{lower(claim.contact)}', email_verified: '{claim.confirmed}' }

            profile:
              claims: { email: /mail, email_verified: /verified }
              derive: { email: '{lower(claim.email)}' }

            endpoints: { token: 'https://id.acme.example/token' }
            client_credentials: {}
            profile: { subject: { none: No user signs in. } }
            connection: { lookups: { site: { url: 'https://api.acme.example/sites', value: /id, sample: [{ id: s1 }] } } }
            api: { headers: { X-Site: '{connection.site}' } }
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        let (descriptor, places) = (context.descriptor, context.places)
        var found: [Diagnostic] = []
        func report(_ keySpan: SourceSpan, _ reason: String, help: String? = nil) {
            let name = context.keyPath(at: keySpan)
            found.append(finding("'\(name)' has no effect: \(reason)", in: context, at: keySpan, help: help))
        }
        func report<Value>(_ place: Place<Value>, _ reason: String, help: String? = nil) {
            if place.isWritten { report(place.keySpan, reason, help: help) }
        }
        if descriptor.discovery == .off { report(places.discoveryURL, "there is no discovery") }
        if descriptor.issuer == nil, !descriptor.findsIssuerToCompare {
            report(places.issuerMatch, "there is no issuer")
        }
        for node in places.token.response.acceptedTokenTypes.elements where node.scalar?.text.lowercased() == "dpop" {
            found.append(
                finding(
                    "this type has no effect: it is that of tokens for a key, see client.dpop_bound_access_tokens",
                    in: context, at: node.span))
        }
        let issuers = [places.issuer.text ?? ""] + places.issuerMatch.issuers.map { $0.scalar?.text ?? "" }
        // Of very many only the first are compared.
        for (index, node) in places.issuerMatch.issuers.prefix(128).enumerated()
        where issuers[...index].contains(issuers[index + 1]) {
            found.append(finding("this issuer has no effect: it is named already", in: context, at: node.span))
        }
        if !descriptor.client.methods.contains(.clientSecretBasic) {
            report(places.client.basicEncoding, "client_secret_basic is not among the methods")
        }
        if places.client.authentication.isWritten, !descriptor.client.methods.contains(where: \.usesAssertion) {
            report(places.client.assertion, "neither private_key_jwt nor client_secret_jwt is among the methods")
        }
        if descriptor.authorization.fragmentRoute != nil {
            report(places.authorization.fragment, "fragment_route sets the fragment")
        }
        if descriptor.api.tokenIn != .authorization, descriptor.profile.tokenIn != .placed(.authorization) {
            report(places.api.scheme, "the access token is not in the Authorization header")
        }
        if descriptor.isWithout(.revocation) { report(places.revocation, "there is no revocation endpoint") }
        if descriptor.authorization.pushed.use == .never {
            report(places.endpoints[.pushedAuthorizationRequest], "pushed is never")
            report(places.authorization.pushed.repeated, "pushed is never")
        }
        if descriptor.authorization.requestObject.use == .never {
            let place = places.authorization.requestObject
            for entry in place.entries where entry.keySpan != place.use.keySpan {
                report(entry.keySpan, "request_object.use is never")
            }
        }
        if descriptor.isWithout(.deviceAuthorization) {
            report(places.device, "there is no device_authorization endpoint")
        }
        if descriptor.isWithout(.endSession), !places.logout.request.ownEntries.isEmpty {
            report(places.logout, "there is no end_session endpoint")
        }
        if context.isWithoutUsers {
            let reason = "nobody can sign in without endpoints.authorization or device_authorization"
            let sections = ["authorization", "callback", "exchange"]
            for entry in context.root.entries ?? [] where sections.contains(entry.key) { report(entry.keySpan, reason) }
            report(places.connection.onConnect, reason)
            report(places.connection.onDisconnect, reason)
            for lookup in descriptor.connection.lookups.items where lookup.value.choice == .ask {
                report(places.connection.lookups[lookup.name].choice, reason, help: "write 'first', or nothing")
            }
            for entry in places.profile.entries where entry.key != "subject" { report(entry.keySpan, reason) }
            report(places.samples.userinfo, reason)
            report(places.samples.callback, reason)
        } else if let source = descriptor.profile.source, source != .userinfo {
            let reason = "the profile comes from \(source.rawValue), so no request is made"
            for entry in places.profile.request.ownEntries { report(entry.keySpan, reason) }
            if descriptor.profile.requests.isEmpty { report(places.profile.tokenIn, reason) }
            report(places.profile.format, reason)
            report(places.profile.jwt, reason)
            report(places.profile.outcome.success, reason)
            report(places.profile.outcome.errors, reason)
            let others = descriptor.environmentNames.map { (try? descriptor.variant($0))?.profile.source }
            if source == .tokenResponse, others.allSatisfy({ $0 == source }) {
                report(places.samples.userinfo, "the profile is in samples.token")
            }
        }
        if !context.isWithoutUsers, context.isWhole, descriptor.profile.source == nil, descriptor.isWithout(.userinfo),
            !descriptor.canHaveIDToken
        {
            let reason = "there is no userinfo endpoint and no ID token, and profile.from names no other source"
            report(places.profile.claims, reason)
            report(places.profile.requests, reason)
            report(places.samples.userinfo, reason)
        }
        if descriptor.profile.jwt != nil { report(places.profile.format, "the response is a JWT") }
        if descriptor.isWithout(.introspection) {
            report(places.introspection, "there is no introspection endpoint")
            if descriptor.refresh.expiryFrom == .introspection {
                report(places.refresh.expiryFrom, "there is no introspection endpoint")
            }
        }
        if descriptor.idToken.hs256 != nil { report(places.idToken.algorithms, "id_token.hs256 is set") }
        if descriptor.profile.subject != nil {
            report(places.profile.claims["subject"], "profile.subject says that there is none")
            report(places.profile.derive["subject"], "profile.subject says that there is none")
        }
        if descriptor.profile.derivesUnverifiedEmail {
            for claims in [places.profile.claims] + places.profile.requests.all.map({ $0.claims }) {
                report(
                    claims["email_verified"], "the address that it is about is replaced by profile.derive.email",
                    help:
                        "if it is about the derived address too, give it another name, and derive email_verified from it"
                )
            }
        }
        for (node, keys) in context.choices {
            for entry in node.entries ?? [] where keys.contains(entry.key) && entry.value.isEmpty {
                report(entry.keySpan, "it is empty, so it counts as missing")
            }
        }
        for (name, span, reason) in context.unsent {
            found.append(finding("\"\(name)\" is never sent in this request: \(reason)", in: context, at: span))
        }
        for (place, inherited, section) in context.removals {
            for entry in place.entries where entry.value.scalar?.isNull == true {
                let name = section == "headers" ? entry.key.lowercased() : entry.key
                let help = descriptor.tokenNames.contains(name) ? "token_in says where the access token is sent" : nil
                if !inherited.contains(name) { report(entry.keySpan, "api.\(section) has none to remove", help: help) }
            }
        }
        if descriptor.idToken.none != nil {
            let reason = "id_token.none is set, so no ID token is read"
            report(places.authorization.nonce, reason)
            for entry in places.idToken.entries where entry.key != "none" { report(entry.keySpan, reason) }
        } else if !descriptor.canHaveIDToken {
            report(places.authorization.nonce, "without an issuer there are no ID tokens")
            report(places.idToken, "without an issuer there are no ID tokens")
            report(places.accessToken, "without an issuer, Carnet cannot validate an access token")
            report(places.logout.missingEnd, "without an issuer there are no logout tokens")
            report(places.logout.frontChannel, "without an issuer, Carnet cannot validate a logout")
        }
        return found
    }
}

extension KeyWithoutEffect {
    fileprivate static let ofResource = ["any_of", "acr", "claims"]

    /// The conditions of a resource map's entries that need nothing.
    func check(_ map: ResourceMapFile) -> [Diagnostic] {
        map.nodes.flatMap(\.entriesWithoutElements).filter { Self.ofResource.contains($0.key) }.map { entry in
            explanation.diagnostic(
                "'\(entry.key)' has no effect: it is empty, so it counts as missing", file: map.path,
                span: entry.keySpan)
        }
    }
}

extension YAMLNode {
    fileprivate var isEmpty: Bool { elements?.isEmpty ?? entries?.isEmpty ?? false }
    fileprivate var entriesWithoutElements: [YAMLEntry] { (entries ?? []).filter(\.value.isEmpty) }
}

extension LintContext {
    /// Whether there are only grants without a user.
    fileprivate var isWithoutUsers: Bool {
        ([self] + variants).allSatisfy { !$0.descriptor.canSignIn && !$0.descriptor.grantsWithoutPage.isEmpty }
    }

    /// The mappings with conditions that stand in a list, so that no key of them is to replace an inherited one, with the
    /// names of the conditions.
    fileprivate var choices: [(node: YAMLNode, keys: [String])] {
        let groups: [(nodes: [YAMLNode], keys: [String])] = [
            (places.resources.node?.elements ?? [], KeyWithoutEffect.ofResource),
            (places.profile.requests.node?.elements ?? [], ["any_of", "where", "claims"]),
            (places.profile.claims.entries.map(\.value), ["where"]),
            (places.connection.lookups.entries.map(\.value), ["where"]),
        ]
        return groups.flatMap { group in group.nodes.map { ($0, group.keys) } }
    }

    /// What the sections of requests say of parameters that Carnet never sends in them, with the reason.
    fileprivate var unsent: [(name: String, span: SourceSpan, reason: String)] {
        requests.flatMap { request -> [(name: String, span: SourceSpan, reason: String)] in
            guard let kind = request.kind else { return [] }
            let added = Set(request.added.map(\.key))
            let lists = (request.omit + request.queryParameters).compactMap { node in
                node.scalar.map { ($0.text, node.span) }
            }
            let named = (request.rename + request.encode).map { ($0.key, $0.keySpan) } + lists
            return named.compactMap { name, span in
                guard !added.contains(name), let reason = reasonAgainst(name, in: kind),
                    // An environment inherits the section, and may have the parameter.
                    variants.allSatisfy({ $0.reasonAgainst(name, in: kind) != nil })
                else { return nil }
                return (name, span, reason)
            }
        }
    }

    /// Why a request never has a parameter; `nil` if it can have it.
    private func reasonAgainst(_ name: String, in kind: RequestKind) -> String? {
        switch StandardParameter(rawValue: name) {
        case .nonce where kind == .authorization && !descriptor.canHaveIDToken,
            .idTokenHint where kind == .logout && !descriptor.canHaveIDToken:
            return descriptor.idToken.none == nil
                ? "without an issuer there are no ID tokens" : "id_token.none says that there are no ID tokens"
        case .clientID, .clientSecret, .clientAssertion, .clientAssertionType: break
        default: return nil
        }
        // Metadata and registrations decide where the file does not.
        guard kind.authenticatesClient, places.client.authentication.isWritten else { return nil }
        // What 'token' says also holds for the requests that inherit it.
        let kinds = kind == .token ? [kind] + RequestKind.allCases.filter(\.inheritsToken) : [kind]
        let methods = descriptor.client.methods + kinds.compactMap { descriptor.authentication(in: $0) }
        let isSecret = methods.contains(.clientSecretPost)
        let isSigned = methods.contains(where: \.usesAssertion)
        let isAssertion = descriptor.client.assertion.sendAs == .clientAssertion
        let isSent =
            switch name {
            case "client_id": kind.client == .authenticatedAndNamed || methods.contains { $0 != .clientSecretBasic }
            case "client_secret": isSecret || isSigned && !isAssertion
            default: isSigned && isAssertion
            }
        guard !isSent else { return nil }
        let listed = Set(methods).map(\.rawValue).sorted().joined(separator: " and ")
        return "\(listed) \(Set(methods).count == 1 ? "does" : "do") not use it"
    }

    /// Where null removes what a request inherits from `api`, with the names that there are.
    fileprivate var removals: [(place: Place<NamedList<Template>>, inherited: Set<String>, section: String)] {
        guard places.profile.isWritten || !calls.isEmpty else { return [] }
        let headers = Set(descriptor.api.headers.names.map { $0.lowercased() })
        let parameters = Set(descriptor.api.parameters.names)
        let requests = [places.profile.request] + places.profile.requests.all.map { $0.request }
        return requests.flatMap { [($0.headers, headers, "headers"), ($0.parameters, parameters, "parameters")] }
            + calls.flatMap {
                [($0.place.headers, headers, "headers"), ($0.place.parameters, parameters, "parameters")]
            }
    }
}

extension ProfileRules {
    /// Whether a template always makes the address, of other claims than the one that `email_verified` is about. Without a
    /// template of its own, that claim is dropped then.
    fileprivate var derivesUnverifiedEmail: Bool {
        guard let email = derive["email"], !email.isForMissing, derive["email_verified"] == nil else { return false }
        let read = derive.items.flatMap(\.value.references)
        return !read.contains { $0.origin == .claim && ["email", "email_verified"].contains($0.name) }
    }
}

extension ProviderDescriptor {
    /// The header, in lower case, or the parameter that has the access token in a request.
    fileprivate var tokenNames: [String] {
        [self.api.tokenIn, self.profile.tokenIn.placement(else: nil)].compactMap { placement -> String? in
            switch placement {
            case .authorization: "authorization"
            case .header(let name): name.lowercased()
            case .query(let name, _), .body(let name, _): name
            case nil: nil
            }
        }
    }

    /// Whether an endpoint is neither named nor can be discovered.
    func isWithout(_ endpoint: EndpointName) -> Bool {
        self.endpoints[endpoint] == nil && !canDiscover
    }

    /// Whether metadata names an issuer that `issuer_match` is about. At `discovery_url`, any is right.
    fileprivate var findsIssuerToCompare: Bool {
        if case .off = self.issuerMatch { return canDiscover && self.resource != nil }
        return canDiscover
    }

    /// Whether an ID token can come and be checked: that takes an issuer.
    var canHaveIDToken: Bool { (self.issuer != nil || canDiscover) && self.idToken.none == nil }
}
