/// Something that a granted scope opens.
package struct ResourceEntry: Sendable {
    package internal(set) var id: String?
    package internal(set) var title = ""
    package internal(set) var url = Template.empty
    package internal(set) var scope: String?
    package internal(set) var allOf: [String] = []
    package internal(set) var anyOf: [String] = []
    package internal(set) var method = ResourceMethod.get
    package internal(set) var headers = NamedList<Template>()

    init() {}
}

extension ResourceEntry: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("scope", \.scope, "the scope that opens it"),
        Key("all_of", \.allOf, "scopes that are all needed"),
        Key("any_of", \.anyOf, "scopes of which one is needed"),
        Key("title", \.title, isRequired: true, "the label"),
        Key(
            "url", \.url, in: .signedInURL, isRequired: true,
            "the resource, below api.base_url if it starts with /; the access token is sent to its origin"),
        Key("id", \.id, "a name for the command line and for code"),
        Key("method", \.method, "the HTTP method; GET if not said"),
        Key("headers", \.headers, in: .signedIn, "headers to add"),
    ]
}

public enum ResourceMethod: String, DescriptorChoice, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
}

extension Template {
    static let empty = Template(literal: "")

    /// A template without places.
    init(literal: String) {
        source = literal
        parts = literal.isEmpty ? [] : [.literal(literal)]
    }
}
