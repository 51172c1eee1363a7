import CarnetDescriptors
import CarnetProtocol

extension JSONValue {
    /// A provider as the engine sees it, by the names of the descriptor language.
    init(_ provider: Provider) {
        var endpoints = JSONObject()
        for name in EndpointName.allCases {
            if let url = provider.endpoints[name] { endpoints[name.rawValue] = .string(url.text) }
        }
        let aliases = MTLSEndpoints.names.compactMap { name in
            provider.endpoints.mtls[name].map { Named(name.rawValue, $0.text) }
        }
        if !aliases.isEmpty { endpoints["mtls_endpoint_aliases"] = Self.map(aliases) }
        var claims = JSONObject()
        for claim in provider.profile.claims { claims[claim.name] = .list(claim.value.map(\.description)) }
        let document = JSONObject([
            "id": .string(provider.id.rawValue),
            "name": .string(provider.name),
            "environment": .optional(provider.environment),
            "inputs": Self.map(provider.inputs.sorted { $0.key < $1.key }.map { Named($0.key, $0.value) }),
            "issuer": .optional(provider.issuer),
            "issuer_match": Self.issuers(provider.issuerMatch),
            "discovery": .string(provider.discovery?.rawValue ?? (provider.needsMetadata ? "preferred" : "none")),
            "discovery_url": .optional(provider.discoveryURL?.text),
            "endpoints": .object(endpoints),
            "client": [
                "authentication": .list(provider.client.authentication.map(\.rawValue)),
                "basic_encoding": .string(provider.client.basicEncoding.rawValue),
                "dpop_bound_access_tokens": .bool(provider.client.dpopBoundAccessTokens),
                "tls_client_certificate_bound_access_tokens": .bool(provider.client.certificateBoundAccessTokens),
                "assertion": Self.assertion(provider),
            ],
            "redirects": .list(provider.redirects.map(\.description)),
            "scopes": [
                "default": .list(provider.scopes.defaults), "required": .list(provider.scopes.required),
                "offline": .list(provider.scopes.offline), "separator": .string(provider.scopes.separator),
                "when_empty": .string(provider.scopes.whenEmpty.rawValue),
                "catalog": .array(provider.scopes.catalog.map(Self.scope)),
            ],
            "authorization": Self.authorization(provider),
            "callback": [
                "iss": .string(provider.callback.requiresIssuer ? "required" : "auto"),
                "jwt": Self.signedAnswer(provider.callback.jwt),
            ],
            "token": Self.token(provider),
            "refresh": Self.refresh(provider),
            "client_credentials": Self.grant(provider.clientCredentials),
            "device": Self.device(provider.device),
            "token_exchange": Self.grant(provider.tokenExchange),
            "jwt_bearer": Self.jwtBearer(provider),
            "id_token": [
                "algorithms": .list(provider.idToken.algorithms.map(\.rawValue)),
                "clock_skew": .number(String(provider.idToken.clockSkew.seconds)),
                "encryption": Self.encryption(provider.idToken.encryption),
            ],
            "profile": Self.profile(provider, claims),
            "revocation": Self.request(provider.revocation.request),
            "introspection": Self.introspection(provider),
            "logout": Self.logout(provider),
            "api": [
                "hosts": .list(provider.api.hosts), "scheme": .string(provider.api.scheme),
                "headers": Self.map(provider.api.headers),
            ],
            "resources": .array(provider.resources.map(Self.resource)),
        ])
        self = .object(document)
    }

    private static func map(_ items: [Named<String>]) -> JSONValue {
        var object = JSONObject()
        for item in items { object[item.name] = .string(item.value) }
        return .object(object)
    }

    private static func logout(_ provider: Provider) -> JSONValue {
        var rules = request(provider.logout.request)
        rules.set(.bool(provider.logout.frontChannel), at: JSONPointer(tokens: ["front_channel"]))
        return rules
    }

    private static func introspection(_ provider: Provider) -> JSONValue {
        var rules = request(provider.introspection.request)
        rules.set(signedAnswer(provider.introspection.jwt), at: JSONPointer(tokens: ["jwt"]))
        return rules
    }

    private static func jwtBearer(_ provider: Provider) -> JSONValue {
        var rules = grant(provider.jwtBearer.grant)
        rules.set(.string(provider.jwtBearer.scopeIn.rawValue), at: JSONPointer(tokens: ["scope_in"]))
        rules.set(assertion(provider.jwtBearer.assertion, at: provider), at: JSONPointer(tokens: ["assertion"]))
        return rules
    }

    /// Nothing where no method sends an assertion.
    private static func assertion(_ provider: Provider) -> JSONValue {
        guard provider.client.authentication.contains(where: \.usesAssertion) else { return .null }
        var rules = assertion(provider.client.assertion, at: provider)
        rules.set(.string(provider.client.assertion.sendAs.rawValue), at: JSONPointer(tokens: ["send_as"]))
        return rules
    }

    private static func assertion(_ rules: ResolvedAssertion, at provider: Provider) -> JSONValue {
        [
            "algorithm": .optional(rules.algorithm?.rawValue),
            "audience": .optional(rules.audience(issuer: provider.issuer, tokenEndpoint: provider.endpoints[.token])),
            "lifetime": .number(String(rules.lifetime)),
            "claims": map(rules.claims),
        ]
    }

    private static func encryption(_ encryption: TokenEncryption?) -> JSONValue {
        guard let encryption else { return .null }
        return [
            "algorithm": .string(encryption.algorithm.rawValue), "content": .string(encryption.content.rawValue),
        ]
    }

    private static func signedAnswer(_ answer: SignedAnswer) -> JSONValue {
        ["algorithms": .list(answer.algorithms.map(\.rawValue)), "encryption": encryption(answer.encryption)]
    }

    private static func issuers(_ match: IssuerMatch) -> JSONValue {
        switch match {
        case .exact: "exact"
        case .pattern(let pattern): ["template": .string(pattern.source)]
        case .anyOf(let issuers): ["any_of": .list(issuers)]
        // The reason stands where it is written.
        case .off: .null
        }
    }

    private static func scope(_ entry: ScopeEntry) -> JSONValue {
        ["id": .string(entry.id), "title": .optional(entry.title), "implies": .list(entry.implies)]
    }

    private static func requestObject(_ rules: ResolvedRequestObject) -> JSONValue {
        guard rules.use != .never else { return ["use": "never"] }
        return [
            "use": .string(rules.use.rawValue), "algorithm": .optional(rules.algorithm?.rawValue),
            "audience": .optional(rules.audience),
            "lifetime": rules.lifetime.map { .number(String($0)) } ?? .null,
            "repeat": .list(rules.repeated),
        ]
    }

    private static func authorization(_ provider: Provider) -> JSONValue {
        let rules = provider.authorization
        return [
            "response_type": .string(rules.responseType), "response_mode": .optional(rules.responseMode?.rawValue),
            "pkce": pkce(rules.pkce),
            "nonce": nonce(rules.nonce), "parameters": map(rules.parameters),
            "offline_parameters": map(rules.offlineParameters),
            "reconsent_parameters": map(rules.reconsentParameters), "rename": map(rules.rename.items),
            "pushed": ["use": .string(rules.pushed.use.rawValue), "repeat": .list(rules.pushed.repeated)],
            "request_object": requestObject(provider.authorization.requestObject),
            "omit": .list(rules.omit), "ephemeral_session": .bool(rules.prefersEphemeralSession),
        ]
    }

    private static func pkce(_ rule: PKCERule) -> JSONValue {
        switch rule {
        case .required(.base64url): "required"
        case .required(let encoding): ["encoding": .string(encoding.rawValue)]
        case .off(let reason): ["none": .string(reason)]
        }
    }

    private static func nonce(_ rule: NonceRule) -> JSONValue {
        switch rule {
        case .required: "required"
        case .optional(let reason): ["optional": .string(reason)]
        case .off(let reason): ["none": .string(reason)]
        }
    }

    private static func request(_ rules: ResolvedRequest) -> JSONValue {
        [
            "method": .string(rules.method.rawValue),
            "body": .string(rules.method == .get ? BodyEncoding.query.rawValue : rules.body.rawValue),
            "headers": map(rules.headers), "parameters": map(rules.parameters), "rename": map(rules.rename.items),
            "omit": .list(rules.omit), "query_parameters": .list(rules.queryParameters),
            "encode": map(rules.encode.items.map { Named($0.name, $0.value.rawValue) }),
        ]
    }

    private static func grant(_ grant: Resolved<GrantRules>) -> JSONValue {
        var rules = request(grant.request)
        rules.set(.optional(grant.grantType), at: JSONPointer(tokens: ["grant_type"]))
        return rules
    }

    private static func device(_ device: ResolvedDevice) -> JSONValue {
        var rules = request(device.request)
        rules.set(grant(device.token), at: JSONPointer(tokens: ["token"]))
        return rules
    }

    private static func token(_ provider: Provider) -> JSONValue {
        let (rules, fields) = (provider.token.response, provider.token.response.fields)
        func pointers(_ list: PointerList) -> JSONValue { .list(list.pointers.map(\.description)) }
        var token = request(provider.token.request)
        token.set(.optional(provider.token.grantType), at: JSONPointer(tokens: ["grant_type"]))
        let response: JSONValue = [
            "format": .string(rules.format.rawValue),
            "fields": [
                "access_token": pointers(fields.accessToken), "token_type": pointers(fields.tokenType),
                "expires_in": pointers(fields.expiresIn), "refresh_token": pointers(fields.refreshToken),
                "scope": pointers(fields.scope), "id_token": pointers(fields.idToken),
            ],
            "errors": [
                "error": pointers(rules.errors.code), "error_description": pointers(rules.errors.message),
                "error_uri": pointers(rules.errors.uri),
            ],
            "expires": ["kind": .string(rules.expiry.kind.rawValue)],
            "scope_separator": .string(rules.scopeSeparator ?? provider.scopes.separator),
        ]
        token.set(response, at: JSONPointer(tokens: ["response"]))
        return token
    }

    private static func refresh(_ provider: Provider) -> JSONValue {
        var rules = request(provider.refresh.request)
        rules.set(.optional(provider.refresh.grantType), at: JSONPointer(tokens: ["grant_type"]))
        rules.set(.string(provider.refresh.using.rawValue), at: JSONPointer(tokens: ["using"]))
        rules.set(.number(String(provider.refresh.margin)), at: JSONPointer(tokens: ["margin"]))
        return rules
    }

    private static func profile(_ provider: Provider, _ claims: JSONObject) -> JSONValue {
        var rules = request(provider.profile.request)
        rules.set(.string(Profile.source(at: provider).rawValue), at: JSONPointer(tokens: ["from"]))
        rules.set(.string(provider.profile.root.description), at: JSONPointer(tokens: ["root"]))
        rules.set(.object(claims), at: JSONPointer(tokens: ["claims"]))
        rules.set(signedAnswer(provider.profile.jwt), at: JSONPointer(tokens: ["jwt"]))
        rules.set(.array(provider.profile.sources.map(claimSource)), at: JSONPointer(tokens: ["sources"]))
        return rules
    }

    private static func claimSource(_ source: ClaimSource) -> JSONValue {
        [
            "issuer": .string(source.issuer), "jwks": .string(source.jwks.text),
            "algorithms": .list(source.algorithms.map(\.rawValue)), "claims": .list(source.claims),
        ]
    }

    private static func resource(_ resource: Resource) -> JSONValue {
        [
            "id": .optional(resource.id), "title": .string(resource.title), "url": .string(resource.url),
            "method": .string(resource.method.rawValue), "all_of": .list(resource.requirement.allOf),
            "any_of": .list(resource.requirement.anyOf), "headers": map(resource.headers),
        ]
    }

    /// The value without nulls, empty strings, lists and objects; none if nothing is left.
    var withoutEmpty: JSONValue? {
        switch self {
        case .null: return Optional.none
        case .string(let text): return text.isEmpty ? Optional.none : self
        case .bool, .number: return self
        case .array(let elements):
            let kept = elements.compactMap(\.withoutEmpty)
            return kept.isEmpty ? Optional.none : .array(kept)
        case .object(let object):
            var kept = JSONObject()
            for member in object.members { kept[member.name] = member.value.withoutEmpty }
            return kept.members.isEmpty ? Optional.none : .object(kept)
        }
    }
}
