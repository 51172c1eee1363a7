/// What every request-shaped section can say.
package struct RequestRules: Sendable {
    package internal(set) var method: RequestMethod?
    package internal(set) var body: BodyEncoding?
    package internal(set) var headers = NamedList<Template>()
    package internal(set) var parameters = NamedList<Template>()
    package internal(set) var rename = NamedList<String>()
    package internal(set) var omit: [String] = []
    package internal(set) var queryParameters: [String] = []
    package internal(set) var encode = NamedList<ParameterEncoding>()

    init() {}
}

extension RequestRules: DescriptorSection {
    static let keys: [Key<Self>] = RequestRules.keys(in: .configuration)

    /// The keys of a request whose templates may use what the place knows.
    static func keys(in place: TemplatePlace) -> [Key<Self>] {
        [
            Key("method", \.method, "the HTTP method"),
            Key("body", \.body, "how the parameters are sent: form (RFC 6749), json, or in the query"),
            Key("headers", \.headers, in: place.isConfiguration ? place : place.signing, "headers to add"),
            Key("parameters", \.parameters, in: place, "parameters to add"),
            Key("rename", \.rename, "standard parameter name -> the provider's name for it"),
            Key("omit", \.omit, "standard parameters to leave out"),
            Key(
                "query_parameters", \.queryParameters, "parameters that go in the query of the URL and not in the body"),
            Key("encode", \.encode, "parameter -> how its value is encoded in a query or form; percent if not said"),
        ]
    }
}

package enum RequestMethod: String, DescriptorChoice, Sendable {
    case get = "GET"
    case post = "POST"
    case delete = "DELETE"
}

package enum BodyEncoding: String, DescriptorChoice, Sendable {
    case form
    case json
    case query
}
