import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

extension JSONValue {
    /// A provider as the engine sees it, by the names of the descriptor language: the keys of the table, with what one section takes
    /// from another.
    init(_ provider: Provider) {
        let resolved = Self.resolved(provider)
        var document: JSONObject = [
            "id": .string(provider.id.rawValue), "name": .string(provider.name),
            "environment": .optional(provider.environment),
            "inputs": Self.map(provider.inputs.sorted { $0.key < $1.key }.map { Named($0.key, $0.value) }),
            "discovery": .string(provider.discovery?.rawValue ?? (provider.needsMetadata ? "preferred" : "none")),
        ]
        // These three keys have no effect after resolution: their values are in the other keys.
        for (name, value) in (provider.json.object?.members ?? []).map({ ($0.name, $0.value) })
        where document[name] == nil && !["carnet", "extends", "environments"].contains(name) {
            document[name] = value.replacing(resolved[name] ?? .null)
        }
        self = JSONValue.object(document).withoutEmpty ?? .object(JSONObject())
    }

    /// The values that a key has only in the resolved provider.
    private static func resolved(_ provider: Provider) -> JSONValue {
        func assertion(_ rules: ResolvedAssertion) -> JSONValue {
            let audience = rules.audience(issuer: provider.issuer, tokenEndpoint: provider.endpoints[.token])
            return ["audience": .optional(audience), "lifetime": .number(String(rules.lifetime))]
        }
        var document = JSONValue.object(JSONObject())
        func set(_ path: String, _ value: JSONValue) {
            document.set(value, at: JSONPointer(tokens: path.split(separator: ".").map(String.init)))
        }
        for kind in RequestKind.allCases {
            if let rules = provider.shared.sections.request(of: kind) { set(kind.section, request(rules)) }
        }
        set("client.authentication", .list(provider.client.authentication.map(\.rawValue)))
        set("client.basic_encoding", .string((provider.client.basicEncoding ?? .percent).rawValue))
        if provider.client.authentication.contains(where: \.usesAssertion) {
            set("client.assertion", assertion(provider.client.assertion))
        }
        set(
            "token.response.scope_separator",
            .string(provider.token.response.scopeSeparator ?? provider.scopes.separator))
        set("refresh.margin", .number(String(provider.refresh.margin)))
        set("jwt_bearer.assertion", assertion(provider.jwtBearer.assertion))
        set("profile.from", .string(Profile.source(at: provider).rawValue))
        set(
            "profile.claims",
            .object(JSONObject(provider.profile.claims.map { Named($0.name, .list($0.value.map(\.description))) })))
        if provider.lateResources.isEmpty { set("resources", .array(provider.resources.map(resource))) }
        return document
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
