import CarnetDescriptors
import CarnetFoundation

struct UnlikelyValue: LintRule {
    let explanation = DiagnosticExplanation(
        "K125", name: "unlikely-value", severity: .warning,
        summary: "A value is allowed, but unlikely beside its neighbours or the standard's words.",
        rationale: """
            A misspelled or misplaced standard word is usually a slip. So are a word as separator, commas in a scope, \
            milliseconds for seconds, two endpoints with one URL, a parameter with another input's value, values \
            that are left out with an optional one, and a placeholder. After 'invalid_grant' the user signs in again, which \
            does not help if the client is wrong. A host that is nearly another one of the file is usually somebody else's.
            """,
        references: ["RFC 6749, section 3.3", "RFC 6749, section 4.1", "RFC 6749, section 5.2"],
        bad: [
            "scopes: { separator: ⟦comma⟧, default: [photos, albums] }",
            "scopes: { default: [⟦'photos,albums'⟧] }",
            "scopes: { default: ['https://www.acme.example/auth/photos', ⟦www.acme.example/auth/albums⟧] }",
            "api: { token_in: { query: ⟦acces_token⟧, because: the API reads nothing else } }",
            "token: { grant_type: ⟦authorisation_code⟧, parameters: { scope: ⟦[read, write]⟧ } }",
            "refresh: { grant_type: ⟦authorization_code⟧ }",
            "token: { response: { errors: { codes: { CodeExpired: ⟦invalid_grants⟧ } } } }",
            "api: { errors: { statuses: { 403: ⟦invalid_tokens⟧ } } }",
            "token: { response: { errors: { codes: { bad_client_secret: ⟦invalid_grant⟧ } } } }",
            "api: { errors: { codes: { UNAUTHENTICATED: ⟦invalid_grant⟧, REFRESH_TOKEN_EXPIRED: invalid_grant } } }",
            "callback: { errors: { codes: { CodeExpired: ⟦invalid_grant⟧ } } }",
            "api: { headers: { ⟦Accept-Encodings⟧: gzip } }",
            "inputs: { site: {}, key: {} }\napi: { headers: { ⟦site⟧: '{key}' }, parameters: { ⟦key⟧: '{site}' } }",
            "inputs: { team: {}, role: { optional: true } }\nauthorization: { parameters: { groups: ⟦\"{join(' ', team, role)}\"⟧ } }",
            "docs: ⟦https://example.com/docs⟧\nregister: { url: https://acme.example, id: ⟦TODO⟧ }",
            "token: { response: { default_token_type: ⟦Baerer⟧ } }",
            "token: { response: { default_expires_in: ⟦3600000⟧, default_refresh_token_expires_in: ⟦86400000⟧ } }",
            "issuer: https://id.acme.example\nscopes: { default: [openid], offline: [⟦offline_acess⟧] }",
            "authorization: { reconsent_parameters: { prompt: ⟦consnet⟧ } }",
            """
            endpoints:
              authorization: https://id.acme.example/login
              token: ⟦https://id.acme.example/login⟧
            """,
            "inputs: { site: { type: hostname } }\nendpoints: { authorization: 'https://{site}/login', token: ⟦'https://{site}/login'⟧ }",
            "issuer: https://a.example\nendpoints: { revocation: '{issuer}/revoke', introspection: ⟦'{issuer}/revoke'⟧ }",
            """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
              userinfo: ⟦https://id.acme.example.invalid/me⟧
            """,
            """
            endpoints: { authorization: https://id.acme.example/authorize, token: https://id.acme.example/token }
            api: { hosts: [api.acme.example, ⟦api.acne.example⟧] }
            trusted_hosts: ['*.shops.example', ⟦'*.shosp.example'⟧]
            """,
            """
            endpoints: { authorization: ⟦'https://a.example/:tenant/authorize'⟧, token: ⟦https://a.example/%s/token⟧ }
            token: { parameters: { app: ⟦'${client.id}'⟧, user: ⟦'%s'⟧ } }
            api: { headers: { Client-ID: ⟦client.id⟧ } }
            """,
        ],
        good: [
            "scopes: { separator: ',', default: [photos, albums] }",
            "inputs: { team: {}, role: { optional: true } }\nauthorization: { parameters: { groups: \"{join('', role, ' ')|}{team}\", role: \"{join(':', 'role', role)}\" } }",
            "token: { grant_type: authorized_code, parameters: { ids: [a, b], more: [{ a: b }] }, encode: { ids: repeated } }",
            "scopes: { extra: { user_scope: [read, write] } }\ntoken: { body: json, parameters: { ids: [a, b] } }",
            "token: { response: { default_expires_in: 5184000, default_refresh_token_expires_in: 2419200, errors: { codes: { CodeExpired: invalid_grant } } } }",
            "issuer: https://id.acme.example\nscopes: { default: [openid, profiles, emails] }",
            """
            endpoints:
              authorization: https://eu1.acme.example/authorize
              token: https://eu2.acme.example/token
              userinfo: https://api.acme.example/me
            """,
            "issuer: https://a.example\nendpoints: { userinfo: '{issuer}/me', revocation: '{issuer}/me' }\nrevocation: { method: DELETE }",
            "scopes: { default: ['https://www.acme.example/auth/photos', acme.example/albums] }",
            """
            endpoints: { authorization: https://id.acme.example/authorize, token: https://id.acme.example/token }
            api: { hosts: [www.acme.com, www.acme.com.au, en.pictures.example, de.pictires.example] }
            """,
            "issuer: https://a.example\nauthorization: { parameters: { fields: '100%{client.id}', at: 'a:b', query: '%24{client.id}' } }",
            """
            issuer: https://a.example
            endpoints: { token: '{issuer}/token', device_authorization: '{issuer}/token' }
            device: { parameters: { response_type: device_code } }

            issuer: https://a.example
            endpoints: { token: '{issuer}/api', revocation: '{issuer}/api' }
            token: { parameters: { action: get } }
            revocation: { parameters: { action: end } }

            issuer: https://a.example
            endpoints: { token: '{issuer}/token', device_authorization: '{issuer}/token' }
            notes: [{ about: endpoints.device_authorization, because: their server tells the requests apart by the code }]

            issuer: https://a.example
            endpoints: { token: '{issuer}/token', device_authorization: '{issuer}/token' }
            notes: [{ about: endpoints.token, because: their server tells the requests apart by the code }]
            """,
        ])

    private static let words = [
        "comma": ",", "space": " ", "blank": " ", "plus": "+", "semicolon": ";", "pipe": "|", "colon": ":",
    ]
    private static let grantTypes = [
        "authorization_code", "refresh_token", "client_credentials",
        "urn:ietf:params:oauth:grant-type:device_code", "urn:ietf:params:oauth:grant-type:token-exchange",
        "urn:ietf:params:oauth:grant-type:jwt-bearer",
    ]

    private static let kinds: [RequestKind] = [
        .token, .refresh, .clientCredentials, .deviceToken, .tokenExchange, .jwtBearer,
    ]
    private static let prompts = ["none", "login", "consent", "select_account", "create"]
    /// Those whose names are no common words: a provider may have a scope `profiles`.
    private static let scopes = ["openid", "offline_access"]

    func check(_ context: LintContext) -> [Diagnostic] {
        let places = context.places
        var found: [Diagnostic] = []
        for node in [places.scopes.separator.node, places.token.response.scopeSeparator.node].compactMap({ $0 }) {
            guard let text = node.scalar?.text, text.utf8.count > 1, text.utf8.allSatisfy(ASCII.isAlphanumeric)
            else { continue }
            found += findings(
                "scopes would be joined by the word \"\(text)\"", in: context, at: node.span,
                help: Self.words[text.lowercased()].map { "write '\($0)'" } ?? "write the character itself")
        }
        let grants = Self.kinds.map { places.rules(of: $0)?.grant.grantType.node }
        for node in grants.compactMap({ $0 }) { found += misspelled(node, Self.grantTypes, context) }
        for (node, own) in zip(grants, Self.kinds.map(\.grantType)) {
            // Some servers exchange tokens by the grant of assertions (on behalf of).
            let mayDiffer = own == RequestKind.tokenExchange.grantType
            guard let node, let text = node.scalar?.text, text != own, Self.grantTypes.contains(text),
                !mayDiffer || text != RequestKind.jwtBearer.grantType
            else { continue }
            found.append(finding("\"\(text)\" is the grant type of another request", in: context, at: node.span))
        }
        found += places.authorization.responseType.node.map { misspelled($0, ["code", "id_token"], context) } ?? []
        let lists = [
            places.authorization.parameters, places.authorization.offlineParameters,
            places.authorization.reconsentParameters,
        ]
        for entry in lists.flatMap(\.entries) where entry.key == StandardParameter.prompt.rawValue {
            found += misspelled(entry.value, Self.prompts, context)
        }
        var scopes = Set<String>()
        for use in context.scopeUses where scopes.insert(use.scope).inserted {
            let parts = use.written.split(separator: ",")
            if parts.count > 1, context.descriptor.scopes.separator != "," {
                found += findings(
                    "\"\(use.scope)\" is one scope with a comma", in: context, at: use.node.span,
                    help: "if these are several, write a list: [\(parts.joined(separator: ", "))]")
            }
            let host = use.written.prefix { $0 != "/" }
            if host.utf8.count < use.written.utf8.count, !use.written.holds("://"),
                context.scopeUses.contains(where: { $0.scope.hasPrefix("https://\(host)/") })
            {
                found += findings(
                    "\"\(use.scope)\" is no URL, and other scopes of \(host) are", in: context, at: use.node.span,
                    help: "write https://\(use.scope)")
            }
            // Another punctuation, such as offline.access, and a suffix make another scope.
            guard
                !Self.scopes.contains(where: {
                    $0.lettersAndDigits == use.scope.lettersAndDigits || use.scope.hasPrefix($0)
                })
            else { continue }
            found += misspelled(use.node, Self.scopes, context)
        }
        visit(context.root) { key, value in
            switch key {
            case "codes", "statuses":
                for entry in value.entries ?? [] {
                    found += misspelled(entry.value, RegisteredErrors.all.sorted(), context)
                    guard entry.key.isCodeOfClient, entry.value.scalar?.text == "invalid_grant" else { continue }
                    let message = "\"\(entry.key)\" is about the client, and would end the sessions of all users"
                    found.append(finding(message, in: context, at: entry.value.span, help: "write invalid_client"))
                }
            case "token_in":
                for entry in value.entries ?? [] where entry.key == "query" {
                    found += misspelled(entry.value, ["access_token"], context)
                }
            case "default_token_type" where !["bearer", "dpop"].contains(value.scalar?.text.lowercased()):
                found += misspelled(value, ["Bearer", "DPoP"], context)
            case "default_expires_in", "default_refresh_token_expires_in":
                guard let number = value.scalar?.text, Double(number)?.looksLikeMilliseconds == true else { return }
                found += findings(
                    "\(number) seconds are unlikely, and look like milliseconds", in: context, at: value.span,
                    help: "write the lifetime in seconds: \(number.dropLast(3))")
            default: break
            }
        }
        for entry in places.api.errors.codes.entries {
            let name = entry.key.lettersAndDigits
            guard entry.value.scalar?.text == "invalid_grant", !name.holds("refresh"),
                Self.ofAccessToken.contains(where: name.holds)
            else { continue }
            let message = "\"\(entry.key)\" is about the access token, and only invalid_token refreshes it"
            found.append(finding(message, in: context, at: entry.value.span, help: "write invalid_token"))
        }
        for entry in places.callback.errors.codes.entries {
            guard let code = entry.value.scalar?.text, !Self.ofCallback.contains(code),
                !found.contains(where: { $0.span == entry.value.span })
            else { continue }
            let help = "write access_denied; codes of the token endpoint are in token.response.errors"
            found.append(
                finding("\"\(code)\" is no error code of a callback", in: context, at: entry.value.span, help: help))
        }
        return found + sharedURLs(context) + unlikelyHosts(context) + additions(context) + joins(context)
            + placeholders(context.root, context) + placesOfOthers(context) + listsInForms(context)
    }

    /// Parts of codes for an access token that is wrong or old, in letters.
    private static let ofAccessToken = [
        "unauthenticated", "unauthorized", "tokenexpired", "expiredtoken", "expiredaccesstoken", "invalidtoken",
        "invalidaccesstoken",
    ]

    private static let ofCallback = RegisteredErrors.ofServer.subtracting([
        "invalid_client", "invalid_grant", "unsupported_grant_type", "authorization_pending", "slow_down",
        "expired_token", "invalid_dpop_proof", "use_dpop_nonce", "unsupported_token_type",
    ]).union([
        "invalid_request_uri", "invalid_request_object", "request_not_supported", "request_uri_not_supported",
        "registration_not_supported",
    ])
    private static let headers = ["Accept", "Accept-Encoding", "Accept-Language", "Authorization", "User-Agent"]

    /// Headers whose names are nearly others, and values of another input than the name says.
    private func additions(_ context: LintContext) -> [Diagnostic] {
        let (all, inputs) = (context.root.additions.prefix(256), context.descriptor.inputs.names)
        let names = all.filter(\.isHeader).map(\.entry.key)
        return all.compactMap { entry, isHeader in
            let text = inputs.containsBytes(of: entry.key) ? entry.value.scalar?.text : nil
            let used = text.flatMap { try? Template($0, in: .anywhere) }?.inputNames ?? []
            if let first = used.first, !used.containsBytes(of: entry.key) {
                let message = "\"\(entry.key)\" is the input \"\(first)\""
                return finding(message, in: context, at: entry.keySpan, help: "did you mean {\(entry.key)}?")
            }
            let name = entry.key.lowercased()
            let isKnown = name.hasPrefix("x-") || Self.headers.contains { $0.lowercased() == name }
            guard isHeader, !isKnown else { return nil }
            // Of two long names, the one that the file has more often is right.
            let count = names.count { $0 == entry.key }
            let other = names.filter { other in other.utf8.count > 10 && names.count { $0 == other } > count }
            return nearestName(to: entry.key, in: Self.headers + other, within: 2).map { near in
                let message = "\"\(entry.key)\" is nearly the header \(near)"
                return finding(message, in: context, at: entry.keySpan, help: "did you mean \(near)?")
            }
        }
    }

    /// Joined values that an optional input leaves out with itself.
    private func joins(_ context: LintContext) -> [Diagnostic] {
        let inputs = context.descriptor.inputs.items.filter { $0.value.isOptional && $0.value.defaultValue == nil }
        guard !inputs.isEmpty else { return [] }
        return context.root.additions.compactMap { entry, _ in
            guard let text = entry.value.scalar?.text, text.contains("join("),
                let template = try? Template(text, in: .anywhere),
                let input = inputs.first(where: { input in
                    template.requiredInputNames.contains(input.name)
                        && template.expressions.contains { $0.joins(input.name) }
                })
            else { return nil }
            return finding(
                "without the optional input \"\(input.name)\", \"\(entry.key)\" is left out with all its values",
                in: context, at: entry.value.span,
                help:
                    "to keep the other values, write this one by itself with an empty default: {join('', \(input.name), ' ')|}"
            )
        }
    }

    /// Whether one URL may be two endpoints: variants of one, or with another method or grant.
    private func mayShare(_ names: [EndpointName], _ context: LintContext) -> Bool {
        let (ofToken, pages) = ([EndpointName.token, .refresh, .deviceToken], [EndpointName.authorization, .userinfo])
        // Some servers say all of a token at one place.
        if Set(names) == [.userinfo, .introspection] { return true }
        let rules = RequestKind.allCases.filter { names.contains($0.endpoint) }.map(context.descriptor.rules)
        let added = names.map { context.descriptor.parameters(to: $0) }
        // A URL with a value in it is often a resource, which has a method for each purpose, but issues no token.
        let isResource =
            context.descriptor.endpoints[names[0]]?.source.holds(UInt8(ascii: "{")) == true
            && !names.contains(where: ofToken.contains)
        return names.allSatisfy(ofToken.contains) || isResource && names.filter(pages.contains).count == 1
            || rules.contains { $0?.method != nil }
            // The server tells the requests apart by what the standards have for it, or by a parameter of its own.
            || added.joined().contains { ["grant_type", "response_type"].contains($0.name) }
            || added[0].contains { own in added[1].contains { $0.name == own.name && $0.value != own.value } }
            || names.contains { context.isExplained("endpoints.\($0.rawValue)") }
    }

    private func sharedURLs(_ context: LintContext) -> [Diagnostic] {
        let urls = context.descriptor.endpoints
        let names = EndpointName.allCases.filter { urls[$0]?.source.holds(UInt8(ascii: "?")) == false }
        return names.enumerated().compactMap { index, name in
            let same = names[..<index].first { other in
                urls[other]?.source == urls[name]?.source && !mayShare([other, name], context)
            }
            guard let same, let node = context.places.endpoints[name].node else { return nil }
            let key = context.notedKey("endpoints.\(name.rawValue)", at: node.span)
            return finding(
                "the \(name.rawValue) endpoint has the URL of the \(same.rawValue) endpoint", in: context,
                at: node.span,
                help: "one of the two is probably another URL; if not, say why in a note about \(key)")
        }
    }

    /// Every key of the file that is not in a response of the provider.
    private func visit(_ node: YAMLNode, _ read: (String, YAMLNode) -> Void) {
        for entry in node.entries ?? [] where !["sample", "samples", "tables", "notes"].contains(entry.key) {
            read(entry.key, entry.value)
            visit(entry.value, read)
        }
        for element in node.elements ?? [] { visit(element, read) }
    }

    private func misspelled(_ node: YAMLNode, _ standard: [String], _ context: LintContext) -> [Diagnostic] {
        guard let text = node.scalar?.text, !standard.contains(text),
            let nearest = nearestName(to: text, in: standard, within: 1)
        else { return [] }
        return findings(
            "\"\(text)\" is not the standard's \"\(nearest)\"", in: context, at: node.span,
            help: "did you mean \"\(nearest)\"?")
    }
}

extension TemplateExpression {
    /// Whether a `join` in it has an input besides another value.
    fileprivate func joins(_ input: String) -> Bool {
        if case .join(_, let parts) = self {
            let values = Set(parts.flatMap(\.references))
            if values.count > 1, values.contains(TemplateReference(.input, input)) { return true }
        }
        return operands.contains { $0.joins(input) }
    }
}

extension ProviderDescriptor {
    /// What the descriptor adds to the requests to an endpoint.
    fileprivate func parameters(to endpoint: EndpointName) -> [Named<Template>] {
        RequestKind.allCases.filter { $0.endpoint == endpoint }.flatMap { kind in
            (self.rules(of: kind)?.parameters ?? self.authorization.parameters).items
        }
    }
}

extension String {
    /// Whether it is a word and an s.
    func isPlural(of word: String) -> Bool { self == word + "s" }
}

extension Double {
    /// Whether a number of seconds is a usual lifetime in milliseconds: 3600000 is one hour, and 41.7 days.
    package var looksLikeMilliseconds: Bool { self >= 1_000_000 && truncatingRemainder(dividingBy: 300_000) == 0 }
}

extension String {
    /// Whether a provider's own error code is about the client id or secret: no new sign-in helps then.
    package var isCodeOfClient: Bool {
        let name = lettersAndDigits
        let parts = ["secret", "clientid", "badclient", "invalidclient", "wrongclient", "unknownclient"]
        return parts.contains(where: name.holds) && !name.holds("mismatch")
    }
}
