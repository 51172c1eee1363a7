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
        Key("scope", \.scope, "the scope that it needs"),
        Key("all_of", \.allOf, "scopes of which all are needed"),
        Key("any_of", \.anyOf, "scopes of which one is needed"),
        Key("title", \.title, isRequired: true, "the label"),
        Key(
            "url", \.url, in: .signedInURL, isRequired: true,
            "the URL, below api.base_url if it starts with /; its origin receives the access token"),
        Key("id", \.id, "an id for the command line and for code"),
        Key("method", \.method, "the HTTP method; default: GET"),
        Key("headers", \.headers, in: .signedIn, "additional headers"),
    ]
}

package enum ResourceMethod: String, DescriptorChoice, Sendable {
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
        isJSON = false
        parts = literal.isEmpty ? [] : [.literal(literal)]
    }
}
