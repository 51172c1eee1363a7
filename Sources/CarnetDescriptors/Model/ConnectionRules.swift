/// What is done once the tokens are there and kept.
public struct ConnectionRules: Sendable {
    public internal(set) var lookups = NamedList<LookupRules>()
    public internal(set) var derive = NamedList<Template>()
    public internal(set) var onConnect: [CallRules] = []
    public internal(set) var onDisconnect: [CallRules] = []

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
public struct CallRules: Sendable {
    public internal(set) var url = Template.empty
    public internal(set) var method: ResourceMethod?
    public internal(set) var body = BodyEncoding.form
    public internal(set) var headers = NamedList<Template>()
    public internal(set) var parameters = NamedList<Template>()

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
public struct LookupRules: Sendable {
    public internal(set) var call = CallRules()
    public internal(set) var list: JSONPointer?
    public internal(set) var value = PointerList([])
    public internal(set) var label: PointerList?
    public internal(set) var choice = LookupChoice.only
    public internal(set) var pattern: ValuePattern?
    public internal(set) var sample = JSONValue.null

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

public enum LookupChoice: String, DescriptorChoice, Sendable {
    case first
    case only
    case ask
}
