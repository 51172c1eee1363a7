/// What is done once the tokens are there and kept.
package struct ConnectionRules: Sendable {
    package internal(set) var lookups = NamedList<LookupRules>()
    package internal(set) var derive = NamedList<Template>()
    package internal(set) var onConnect: [CallRules] = []
    package internal(set) var onDisconnect: [CallRules] = []

    init() {}
}

extension ConnectionRules: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("derive", \.derive, in: .signedInURL, "value -> how it is made of what is held; kept as {connection.NAME}"),
        Key("lookups", \.lookups, "value -> the request that brings it; kept as {connection.NAME}, in this order"),
        Key("on_connect", \.onConnect, "requests to make after the lookups of a sign-in"),
        Key("on_disconnect", \.onDisconnect, "requests to make before the tokens are revoked"),
    ]
}

/// A request with the access token.
package struct CallRules: Sendable {
    package internal(set) var url = Template.empty
    package internal(set) var method: ResourceMethod?
    package internal(set) var body = BodyEncoding.form
    package internal(set) var headers = NamedList<Template>()
    package internal(set) var parameters = NamedList<Template>()

    init() {}
}

extension CallRules: DescriptorSection {
    static let shorthand: String? = "url"
    static let keys: [Key<Self>] = [
        Key(
            "url", \.url, in: .signedInURL, isRequired: true,
            "where the request goes; below api.base_url if it starts with /"),
        Key("method", \.method, "the HTTP method"),
        Key("headers", \.headers, in: .signedIn, "headers to add"),
        Key(
            "parameters", \.parameters, in: .signedIn,
            "parameters to send: in the query of a GET or DELETE, else in the body"),
        Key("body", \.body, "how the parameters are sent if not in the query: form or json"),
    ]
}

/// A value that one request brings.
package struct LookupRules: Sendable {
    package internal(set) var call = CallRules()
    package internal(set) var list: JSONPointer?
    package internal(set) var value = PointerList([])
    package internal(set) var label: PointerList?
    package internal(set) var choice = LookupChoice.only
    package internal(set) var pattern: ValuePattern?
    package internal(set) var sample = JSONValue.null

    init() {}
}

extension LookupRules: DescriptorSection {
    static let keys: [Key<Self>] =
        CallRules.keys.map { $0.lifted(to: \.call) } + [
            Key(
                "list", \.list,
                "the array of the answer that holds the candidates; the whole body is the only one if not said"),
            Key("value", \.value, isRequired: true, "where the value is, in a candidate"),
            Key("label", \.label, "where its name for people is, in a candidate"),
            Key(
                "choose", \.choice,
                "which candidate counts: the first, the only one (which is demanded if nothing is said), or ask the host"
            ),
            Key("pattern", \.pattern, "a regular expression for the whole value"),
            Key("sample", \.sample, isRequired: true, "a redacted answer; the sandbox answers with it"),
        ]
}

package enum LookupChoice: String, DescriptorChoice, Sendable {
    case first
    case only
    case ask
}
