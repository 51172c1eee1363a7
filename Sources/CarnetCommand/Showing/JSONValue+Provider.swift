import CarnetDescriptors
import CarnetProtocol

extension JSONValue {
    /// A provider as the engine sees it, by the names of the descriptor language: the keys of the table, with what one section takes
    /// from another.
    init(_ provider: Provider) {
        let resolved = Self.resolved(provider)
        var document = JSONObject([
            "id": .string(provider.id.rawValue), "name": .string(provider.name),
            "environment": .optional(provider.environment),
            "inputs": Self.map(provider.inputs.sorted { $0.key < $1.key }.map { Named($0.key, $0.value) }),
            "discovery": .string(provider.discovery?.rawValue ?? (provider.needsMetadata ? "preferred" : "none")),
        ])
        // What is left out is consumed: its values, and what was inherited, stand in the rest.
        for (name, value) in (provider.json.object?.members ?? []).map({ ($0.name, $0.value) })
        where document[name] == nil && !["carnet", "extends", "environments"].contains(name) {
            document[name] = value.replacing(resolved[name] ?? .null)
        }
        self = JSONValue.object(document).withoutEmpty ?? .object(JSONObject())
    }

    /// The values that a key has only in the resolved provider.
    private static func resolved(_ provider: Provider) -> JSONValue {
        let (client, jwtBearer) = (provider.client, provider.jwtBearer)
        func assertion(_ rules: ResolvedAssertion) -> JSONValue {
            let audience = rules.audience(issuer: provider.issuer, tokenEndpoint: provider.endpoints[.token])
            return ["audience": .optional(audience), "lifetime": .number(String(rules.lifetime))]
        }
        var device = request(provider.device.request)
        device.set(request(provider.device.token.request), at: JSONPointer(tokens: ["token"]))
        var bearer = request(jwtBearer.grant.request)
        bearer.set(assertion(jwtBearer.assertion), at: JSONPointer(tokens: ["assertion"]))
        var refresh = request(provider.refresh.request)
        refresh.set(.number(String(provider.refresh.margin)), at: JSONPointer(tokens: ["margin"]))
        var token = request(provider.token.request)
        token.set(
            ["scope_separator": .string(provider.token.response.scopeSeparator ?? provider.scopes.separator)],
            at: JSONPointer(tokens: ["response"]))
        var profile = request(provider.profile.request)
        profile.set(.string(Profile.source(at: provider).rawValue), at: JSONPointer(tokens: ["from"]))
        profile.set(
            .object(JSONObject(provider.profile.claims.map { Named($0.name, .list($0.value.map(\.description))) })),
            at: JSONPointer(tokens: ["claims"]))
        return [
            "client": [
                "assertion": client.authentication.contains(where: \.usesAssertion)
                    ? assertion(client.assertion) : .null
            ],
            "token": token,
            "refresh": refresh,
            "client_credentials": request(provider.clientCredentials.request),
            "device": device,
            "token_exchange": request(provider.tokenExchange.request),
            "jwt_bearer": bearer,
            "profile": profile,
            "revocation": request(provider.revocation.request),
            "introspection": request(provider.introspection.request),
            "logout": request(provider.logout.request),
            "resources": provider.lateResources.isEmpty ? .array(provider.resources.map(resource)) : .null,
        ]
    }

    private static func map(_ items: [Named<String>]) -> JSONValue {
        .object(JSONObject(items.map { Named($0.name, .string($0.value)) }))
    }

    private static func request(_ rules: ResolvedRequest) -> JSONValue {
        [
            "method": .string(rules.method.rawValue), "body": .string(rules.encoding.rawValue),
            "headers": map(rules.headers), "rename": map(rules.rename.items), "omit": .list(rules.omit),
            "query_parameters": .list(rules.queryParameters),
            "encode": map(rules.encode.items.map { Named($0.name, $0.value.rawValue) }),
        ]
    }

    private static func resource(_ resource: Resource) -> JSONValue {
        [
            "id": .optional(resource.id), "title": .string(resource.title), "url": .string(resource.url),
            "method": .string(resource.method.rawValue), "all_of": .list(resource.requirement.allOf),
            "any_of": .list(resource.requirement.anyOf), "headers": map(resource.headers),
        ]
    }

    /// The value with the members of another one in place of its own. A null or an empty list or object replaces nothing.
    private func replacing(_ other: JSONValue) -> JSONValue {
        guard case .object(let own) = self, let others = other.object else { return other.withoutEmpty ?? self }
        var object = JSONObject()
        for member in others.members {
            object[member.name] = own[member.name]?.replacing(member.value) ?? member.value
        }
        for member in own.members where object[member.name] == nil { object[member.name] = member.value }
        return .object(object)
    }

    /// The value without nulls, empty strings, lists and objects; none if nothing is left.
    private var withoutEmpty: JSONValue? {
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
