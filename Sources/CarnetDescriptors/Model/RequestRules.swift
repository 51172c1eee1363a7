/// What every request-shaped section can say.
public struct RequestRules: Sendable {
    public internal(set) var method: RequestMethod?
    public internal(set) var body: BodyEncoding?
    public internal(set) var headers = NamedList<Template>()
    public internal(set) var parameters = NamedList<Template>()
    public internal(set) var rename = NamedList<String>()
    public internal(set) var omit: [String] = []

    init() {}
}

extension RequestRules: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("method", \.method, "the HTTP method"),
        Key("body", \.body, "how the parameters are sent: form (RFC 6749), json, or in the query"),
        Key("headers", \.headers, "headers to add"),
        Key("parameters", \.parameters, "parameters to add"),
        Key("rename", \.rename, "standard parameter name -> the provider's name for it"),
        Key("omit", \.omit, "standard parameters to leave out"),
    ]
}

public enum RequestMethod: String, DescriptorChoice, Sendable {
    case get = "GET"
    case post = "POST"
}

public enum BodyEncoding: String, DescriptorChoice, Sendable {
    case form
    case json
    case query
}
