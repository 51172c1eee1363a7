/// Something that a granted scope opens.
package struct ResourceEntry: DescriptorSection, Sendable {
    package internal(set) var id: String?
    package internal(set) var title = ""
    package internal(set) var url = Template.empty
    package internal(set) var scope: String?
    package internal(set) var allOf: [String] = []
    package internal(set) var anyOf: [String] = []
    package internal(set) var methods = ResourceMethods([.get])
    package internal(set) var claims = NamedList<ClaimRequirement>()
    package internal(set) var acr: [String] = []
    package internal(set) var maxAge: AuthenticationAge?
    /// Why a resource server handles requests without a token.
    package internal(set) var anonymous: String?
    package internal(set) var headers = NamedList<Template>()

    static let keys: [Key<Self>] = [
        Key("scope", \.scope, scopesIn: .configuration, "the scope that it needs"),
        Key("all_of", \.allOf, scopesIn: .configuration, "scopes of which all are needed"),
        Key("any_of", \.anyOf, scopesIn: .configuration, "scopes of which one is needed"),
        Key("title", \.title, isRequired: true, "the label"),
        Key(
            "url", \.url, in: .signedInURL, isRequired: true,
            "the URL, below api.base_url if it starts with /; its origin receives the access token"),
        Key("id", \.id, "an id for the command line and for code"),
        Key("method", \.methods, "the HTTP method, or a list of which a call uses the first; default: GET"),
        Key("headers", \.headers, in: .signedIn, "additional headers"),
        Key(
            "claims", \.claims,
            "for a resource server: claims of the token, or JSON Pointers to them, each with the values of which it needs one"
        ),
        Key(
            "acr", \.acr,
            "for a resource server: the authentication context classes of which the token needs one (RFC 9470, section 3)"
        ),
        Key(
            "max_age", \.maxAge,
            "for a resource server: how long ago the user may have signed in, in seconds (RFC 9470, section 3)"),
        Key(
            "anonymous", \.anonymous,
            "for a resource server: the reason why anyone may send the request, without a token"),
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
