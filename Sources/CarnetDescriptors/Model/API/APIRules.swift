/// How the provider's resources are called.
package struct APIRules: DescriptorSection, Sendable {
    package internal(set) var hosts: [Template] = []
    package internal(set) var headers = NamedList<Template>()
    package internal(set) var parameters = NamedList<Template>()
    package internal(set) var scheme = "Bearer"
    package internal(set) var baseURL: Template?
    package internal(set) var tokenIn = TokenPlacement.authorization
    package internal(set) var errors: ErrorFields?

    static let keys: [Key<Self>] = [
        Key("hosts", \.hosts, "the hosts that may receive the access token, besides those of the resources"),
        Key("base_url", \.baseURL, in: .signedInURL, "the prefix for the URLs of resources that start with /"),
        Key(
            "headers", \.headers, in: .signedIn,
            "headers of every request with the access token, the profile's included; Content-Type is sent only with a body"
        ),
        Key(
            "parameters", \.parameters, in: .signedIn,
            "query parameters of every request with the access token, the profile's included"),
        Key(
            "scheme", \.scheme,
            "the scheme of the Authorization header; default: Bearer; none: the header contains only the token"),
        Key("token_in", \.tokenIn, "where the access token is sent; default: in the Authorization header"),
        Key(
            "errors", \.errors,
            "the places of error code and message in the whole body, for calls, lookups and the profile; \(OutcomeRules.tokenCode)"
        ),
    ]

    static func elsewhere(_ name: String) -> String? {
        name == "unauthorized" ? "it is api.errors: { codes: { CODE: invalid_token } }" : nil
    }
}

extension RequestRules {
    /// The request of a profile with what every request with the access token has. Its own headers and parameters, and
    /// those of its URL, take precedence.
    func inheriting(_ api: APIRules, at url: Template?) -> RequestRules {
        guard !api.headers.isEmpty || !api.parameters.isEmpty else { return self }
        var rules = self
        let own = Set(headers.names.map { $0.lowercased() })
        // Carnet itself encodes the body of the profile's request.
        let headers = api.headers.items.filter {
            let name = $0.name.lowercased()
            return !own.contains(name) && name != "content-type"
        }
        let queried = Set(url?.queryNames ?? [])
        let parameters = api.parameters.items.filter {
            !self.parameters.contains($0.name) && !queried.contains($0.name)
        }
        rules.headers.items = headers + self.headers.items
        rules.parameters.items = self.parameters.items + parameters
        rules.queryParameters += parameters.map(\.name)
        return rules
    }
}

extension Template {
    /// The names of the parameters in the query of a URL.
    fileprivate var queryNames: [String] {
        let parts = source.split(separator: "?", maxSplits: 1)
        guard parts.count == 2 else { return [] }
        return parts[1].split(separator: "&").map { String($0.prefix { $0 != "=" }) }
    }
}

package struct ResolvedAPI: Sendable {
    /// Hosts that the access token may be sent to, besides those of the resources.
    package let hosts: [String]
    /// What stands before the URLs of resources and calls, as far as the inputs fill it.
    package let baseURL: Template?
    package private(set) var headers: [Named<String>]
    package let lateHeaders: [Named<Template>]
    /// The query parameters of every call.
    package private(set) var parameters: [Named<String>]
    package let lateParameters: [Named<Template>]
    /// The query parameters of calls whose values must not be seen, once filled.
    package private(set) var hiddenParameters: Set<String> = []
    /// The headers of calls whose values must not be seen, once filled.
    package private(set) var hiddenHeaders: Set<String> = []
    package let scheme: String
    /// Whether the Authorization header has the access token alone, without a scheme.
    package let sendsBareToken: Bool
    package let tokenIn: TokenPlacement
    /// Where the errors of calls are.
    package let errors: ErrorFields

    init(_ rules: APIRules, with resolver: InputResolver) throws(ResolutionError) {
        hosts = try rules.hosts.enumerated().collect { index, template throws(ResolutionError) in
            try resolver.host(template, key: "api.hosts.\(index)")
        }
        // A wrong place in it is reported even without a URL below it.
        baseURL = try rules.baseURL.flatMap { template throws(ResolutionError) in
            try resolver.lateURL(template, key: "api.base_url")
        }
        headers = try resolver.named(rules.headers, key: "api.headers")
        lateHeaders = try resolver.lateNamed(rules.headers, key: "api.headers")
        parameters = try resolver.named(rules.parameters, key: "api.parameters")
        lateParameters = try resolver.lateNamed(rules.parameters, key: "api.parameters")
        sendsBareToken = rules.scheme == "none"
        scheme = sendsBareToken ? "Bearer" : rules.scheme
        tokenIn = rules.tokenIn
        errors = rules.errors ?? ErrorFields()
    }

    /// - Parameter further: Headers of resources.
    mutating func fill(_ values: TemplateValues, besides further: [Named<Template>]) {
        headers += values.named(lateHeaders)
        hiddenHeaders = values.secretNames(of: lateHeaders + further)
        parameters += values.named(lateParameters)
        hiddenParameters = values.secretNames(of: lateParameters)
    }
}
