package import CarnetFoundation

/// What is done once the tokens are there and kept.
package struct ConnectionRules: DescriptorSection, Sendable {
    package internal(set) var lookups = NamedList<LookupRules>()
    package internal(set) var derive = NamedList<DerivedValue>()
    package internal(set) var onConnect: [CallRules] = []
    package internal(set) var onDisconnect: [CallRules] = []

    static let keys: [Key<Self>] = [
        Key(
            "derive", \.derive,
            "value -> a template of other values; available as {connection.NAME}; a value of a lookup follows the lookup"
        ),
        Key(
            "lookups", \.lookups,
            "value -> the request that returns it; available as {connection.NAME}; in this order"),
        Key("on_connect", \.onConnect, "requests after the lookups of a sign-in"),
        Key("on_disconnect", \.onDisconnect, "requests before the tokens are revoked"),
    ]
}

/// A value that is built from others.
package struct DerivedValue: ReferredSection, Sendable {
    package internal(set) var template = Template.empty
    package internal(set) var isOptional = false

    static let shorthand: String? = "value"
    static let keys: [Key<Self>] = [
        Key("value", \.template, in: .signedInURL, isRequired: true, "the template"),
        Key(
            "optional", \.isOptional,
            "whether it is left out if it cannot be built, instead of ending the sign-in; default: false"),
    ]
}

/// A request with the access token.
package struct CallRules: DescriptorSection, Sendable {
    package internal(set) var url = Template.empty
    package internal(set) var method: ResourceMethod?
    package internal(set) var body = BodyEncoding.form
    package internal(set) var headers = NamedList<Template>()
    package internal(set) var parameters = NamedList<Template>()
    package internal(set) var isOptional = false
    package internal(set) var tokenIn: TokenUse?
    package internal(set) var outcome = OutcomeRules()

    /// Where the parameters go.
    package var encoding: BodyEncoding { [nil, .get, .delete].contains(method) ? .query : body }

    static let shorthand: String? = "url"
    static let keys: [Key<Self>] =
        [
            Key(
                "url", \.url, in: .signedInURL, isRequired: true,
                "the URL of the request; below api.base_url if it starts with /"),
            Key("method", \.method, "the HTTP method"),
            Key("headers", \.headers, in: .signedIn, removesInherited: true, RequestRules.headersSummary),
            Key(
                "parameters", \.parameters, in: .signedIn, removesInherited: true, takesJSON: true,
                "parameters, which are in the query of a GET or DELETE; they replace those of api.parameters, and null "
                    + "removes one"),
            Key("body", \.body, RequestRules.bodySummary),
            Key("token_in", \.tokenIn, "where the access token is sent; default: as in api"),
            Key(
                "optional", \.isOptional,
                "whether the request may fail with an error response such as 404, and a lookup may find nothing; default: false"
            ),
        ] + OutcomeRules.keys.map { $0.lifted(to: \.outcome) }
}

/// A value that one request brings.
package struct LookupRules: ReferredSection, Sendable {
    package internal(set) var call = CallRules()
    package internal(set) var root = JSONPointer(tokens: [])
    package internal(set) var conditions = NamedList<Template>()
    package internal(set) var value = PointerList([])
    package internal(set) var label: PointerList?
    package internal(set) var choice = LookupChoice.only
    package internal(set) var pattern: ValuePattern?
    package internal(set) var capture = NamedList<ResponseCapture>()
    package internal(set) var sample = JSONValue.null

    static let keys: [Key<Self>] =
        CallRules.keys.map { $0.lifted(to: \.call) } + [
            Key("root", \.root, "the only candidate, or the list of candidates; default: the whole body"),
            Key("where", \.conditions, in: .signedIn, RequestRules.whereSummary),
            Key("value", \.value, isRequired: true, "the place of the value in a candidate"),
            Key("label", \.label, "the place of the name to show, in a candidate"),
            Key(
                "choose", \.choice,
                "which candidate to use: the first, the only one (default; several are an error), or the host's choice"
            ),
            Key("pattern", \.pattern, "a regular expression for the whole value"),
            Key(
                "capture", \.capture,
                "value -> its place in the candidate that is used; available as {connection.NAME}"),
            Key("sample", \.sample, isRequired: true, "a redacted response; the sandbox returns it"),
        ]

    /// The conditions whose value the descriptor itself states.
    package var fixedConditions: [Named<String>] { conditions.fixed }

    /// The conditions whose value is known with these inputs.
    package func conditions(with inputs: [String: String]) -> [Named<String>] {
        conditions.items.compactMap { item in item.value.filled { inputs[$0] }.map { Named(item.name, $0) } }
    }
}

extension Named where Value == LookupRules {
    /// What the lookup provides.
    package var references: [TemplateReference] {
        ([name] + value.capture.names).map { TemplateReference(.connection, $0) }
    }
}

package enum LookupChoice: String, DescriptorChoice, Sendable {
    case first, only, ask
}

extension ConnectionRules {
    package var isEmpty: Bool {
        lookups.isEmpty && derive.isEmpty && onConnect.isEmpty && onDisconnect.isEmpty
    }

    /// The rules with the inputs in them.
    func resolve(with resolver: InputResolver) throws(ResolutionError) -> ConnectionRules {
        var rules = self
        rules.derive.items = try derive.items.collect { item throws(ResolutionError) in
            let template = try resolver.late(item.value.template, key: "connection.derive.\(item.name)")
            return template.map { Named(item.name, DerivedValue(template: $0, isOptional: item.value.isOptional)) }
        }.inOrderOfUse
        for (index, lookup) in lookups.items.enumerated() {
            rules.lookups.items[index].value.call = try lookup.value.call.resolve(
                with: resolver, key: "connection.lookups.\(lookup.name)")
            rules.lookups.items[index].value.conditions = NamedList(
                try resolver.conditions(lookup.value.conditions, key: "connection.lookups.\(lookup.name).where"))
        }
        for (index, call) in onConnect.enumerated() {
            rules.onConnect[index] = try call.resolve(with: resolver, key: "connection.on_connect.\(index)")
        }
        for (index, call) in onDisconnect.enumerated() {
            rules.onDisconnect[index] = try call.resolve(with: resolver, key: "connection.on_disconnect.\(index)")
        }
        return rules
    }
}

extension [Named<DerivedValue>] {
    /// Each value behind those that it is made of, so that one pass derives all. Those that are made of each other are last.
    fileprivate var inOrderOfUse: Self {
        var (ordered, waiting): (Self, Self) = ([], self)
        while let index = waiting.firstIndex(where: { item in
            !item.value.template.references.contains { reference in
                reference.origin == .connection && waiting.contains { $0.name == reference.name }
            }
        }) {
            ordered.append(waiting.remove(at: index))
        }
        return ordered + waiting
    }
}

extension CallRules {
    fileprivate func resolve(with resolver: InputResolver, key: String) throws(ResolutionError) -> CallRules {
        var call = self
        call.url = try resolver.lateURL(resolver.belowAPI(url), key: "\(key).url") ?? .empty
        call.outcome = outcome.inheriting(resolver.api)
        call.headers = NamedList(try resolver.allNamed(headers, key: "\(key).headers"))
        call.parameters = NamedList(try resolver.allNamed(parameters, key: "\(key).parameters"))
        return call
    }
}
