import CarnetFoundation

/// What every request-shaped section can say.
@usableFromInline
package struct RequestRules: DescriptorSection, Sendable {
    package internal(set) var method: RequestMethod?
    package internal(set) var body: BodyEncoding?
    package internal(set) var headers = NamedList<Template>()
    package internal(set) var parameters = NamedList<Template>()
    package internal(set) var rename = NamedList<String>()
    package internal(set) var omit: [String] = []
    package internal(set) var queryParameters: [String] = []
    package internal(set) var encode = NamedList<ParameterEncoding>()
    /// The keys that are written with nothing in them: they inherit nothing.
    fileprivate(set) var emptied: Set<String> = []

    static let keys: [Key<Self>] = RequestRules.keys(in: .clientRequest)

    /// The keys of a page that the browser opens: a GET without fields of its own.
    static let pageKeys = keys(in: .configuration).filter {
        ["parameters", "rename", "omit", "encode"].contains($0.description.name)
    }

    static let authenticationSummary =
        "the method of client authentication in this request, if it is another than at the token endpoint"

    static let encodeSummary =
        "parameter -> the encoding of its value in a query or form; default: percent; with repeated, each element of a list is a parameter"
    static let headersSummary = "additional headers; they replace those of api.headers, and null removes one"
    static let parametersSummary = "additional parameters; they replace those of api.parameters, and null removes one"
    static let bodySummary = "the encoding of the parameters: form (default; RFC 6749), json, or query"
    static let whereSummary =
        "member, or pointer -> value: only candidates that have all of them count; a list has each of its elements"
    static let grantTypeSummary = "the provider's name for the grant type; default: the standard's"
    static let ownResponseSummary =
        "the places of the tokens in the response; default: all as in token.response"

    /// The keys of a request without parameters of a standard, which there is nothing to rename or to omit of.
    /// - Parameter inherits: Whether the request has the headers and parameters of `api` besides.
    static func ownKeys(in place: TemplatePlace, inheriting inherits: Bool = false) -> [Key<Self>] {
        keys(in: place, inheriting: inherits).filter { !["rename", "omit"].contains($0.description.name) }
    }

    /// The keys of a request whose templates may use what the place knows.
    static func keys(in place: TemplatePlace, inheriting inherits: Bool = false) -> [Key<Self>] {
        let keys: [Key<Self>] = [
            Key("method", \.method, "the HTTP method"),
            Key("body", \.body, bodySummary),
            Key(
                "headers", \.headers, in: place.isConfiguration ? place : place.signing, removesInherited: inherits,
                inherits ? headersSummary : "additional headers"),
            Key(
                "parameters", \.parameters, in: place, removesInherited: inherits, takesJSON: true,
                inherits ? parametersSummary : "additional parameters"),
            Key("rename", \.rename, "standard parameter name -> the provider's name for it"),
            Key("omit", \.omit, "standard parameters to omit"),
            Key(
                "query_parameters", \.queryParameters, "parameters that are sent in the URL's query instead of the body"
            ),
            Key("encode", \.encode, encodeSummary),
        ]
        return keys.map { $0.notingEmpty() }
    }
}

extension Key<RequestRules> {
    /// The key, which remembers that the file says of it that there is nothing: `headers: {}` in `refresh` does not mean the
    /// headers of `token`. Without the key, nothing is written back either.
    fileprivate func notingEmpty() -> Key {
        let name = description.name
        return Key(description: description, slot: slot) { node, section, decoder in
            read(node, &section, &decoder)
            if node.entries?.isEmpty == true || node.elements?.isEmpty == true { section.emptied.insert(name) }
        } write: { section, filler in
            let value = write(section, filler)
            let isEmpty = value?.object?.members.isEmpty ?? value?.array?.isEmpty ?? false
            return isEmpty && !section.emptied.contains(name) ? nil : value
        }
    }
}

package enum RequestMethod: String, DescriptorChoice, Sendable {
    case get = "GET"
    case post = "POST"
    case delete = "DELETE"
}

package enum BodyEncoding: String, DescriptorChoice, Sendable {
    case form, json, query
}

/// A section that describes a request, beside other keys.
@usableFromInline
package protocol RequestSection: Sendable {
    var request: RequestRules { get }
}

/// A section with the request in it filled in. Its other keys have no templates and are read as they were described.
@usableFromInline
@dynamicMemberLookup
package struct Resolved<Rules: RequestSection>: Sendable {
    @usableFromInline var described: Rules
    package private(set) var request: ResolvedRequest

    /// - Parameter inherited: What another section says where this one does not.
    init(
        _ rules: Rules, with resolver: InputResolver, key: String, method: RequestMethod = .post,
        inheriting inherited: RequestRules? = nil
    ) throws(ResolutionError) {
        described = rules
        request = try rules.request.resolve(with: resolver, key: key, method: method, inheriting: inherited)
    }

    @inlinable @inline(__always)
    package subscript<Value>(dynamicMember key: KeyPath<Rules, Value>) -> Value { described[keyPath: key] }

    /// Fills what is known by now into the request.
    mutating func fill(_ values: TemplateValues) { request = request.filled(values) }
}

/// A request's rules with everything filled in. It never changes, and a provider with its dozen of them is copied often:
/// hence no structure.
package final class ResolvedRequest: Sendable {
    package let method: RequestMethod
    package let body: BodyEncoding
    package let headers: [Named<String>]
    package let parameters: [Named<String>]
    package let rename: NamedList<String>
    package let omit: [String]
    /// The parameters that are always in the query of the URL.
    package let queryParameters: [String]
    package let encode: NamedList<ParameterEncoding>
    /// The parameters whose text is JSON, which a JSON body has as it is.
    package let json: Set<String>

    /// Where the parameters go: a GET has no body.
    package var encoding: BodyEncoding { method == .get ? .query : body }

    /// What is filled at run time.
    package let late: LateRequest

    package init(
        method: RequestMethod, body: BodyEncoding = .form, headers: [Named<String>] = [],
        parameters: [Named<String>] = [], rename: NamedList<String> = NamedList(), omit: [String] = [],
        queryParameters: [String] = [], encode: NamedList<ParameterEncoding> = NamedList(), json: Set<String> = [],
        late: LateRequest? = nil
    ) {
        self.method = method
        self.body = body
        self.headers = headers
        self.parameters = parameters
        self.rename = rename
        self.omit = omit
        self.queryParameters = queryParameters
        self.encode = encode
        self.json = json
        self.late = late ?? LateRequest()
    }
}

/// The part of a request that is filled at run time.
package struct LateRequest: Sendable {
    package var parameters: [Named<Template>] = []
    package var headers: [Named<Template>] = []
    /// The parameters and headers whose values must not be seen, once filled.
    package var hidden: Set<String> = []
    /// What the headers that sign the body are filled with.
    package var values: TemplateValues?
}

extension ResolvedRequest {
    var isLate: Bool { !late.parameters.isEmpty || !late.headers.isEmpty }

    /// The request with what is known by now. A header that signs the body waits for it.
    package func filled(_ values: TemplateValues) -> ResolvedRequest {
        guard isLate else { return self }
        let signing = late.headers.filter { $0.value.references.contains { $0.origin == .request } }
        let plain = late.headers.filter { header in !signing.contains { $0.name == header.name } }
        return ResolvedRequest(
            method: method, body: body, headers: headers + values.named(plain),
            parameters: parameters + values.named(late.parameters), rename: rename, omit: omit,
            queryParameters: queryParameters, encode: encode, json: json,
            late: LateRequest(
                headers: signing, hidden: values.secretNames(of: plain + late.parameters), values: values))
    }
}

extension RequestRules {
    /// - Parameter inherited: What another section says where this one does not.
    func resolve(
        with resolver: InputResolver, key: String, method standard: RequestMethod = .post,
        inheriting inherited: RequestRules? = nil
    ) throws(ResolutionError) -> ResolvedRequest {
        let inherited = emptied.isEmpty ? inherited : inherited?.without(emptied)
        let headers = headers.isEmpty ? inherited?.headers ?? headers : headers
        return ResolvedRequest(
            method: method ?? inherited?.method ?? standard,
            body: body ?? inherited?.body ?? (method == .delete ? .query : .form),
            headers: try resolver.named(headers, key: "\(key).headers"),
            parameters: try resolver.named(parameters, key: "\(key).parameters"),
            rename: rename.isEmpty ? inherited?.rename ?? rename : rename,
            omit: omit.isEmpty ? inherited?.omit ?? [] : omit,
            queryParameters: queryParameters.isEmpty ? inherited?.queryParameters ?? [] : queryParameters,
            encode: encode.isEmpty ? inherited?.encode ?? encode : encode, json: parameters.jsonNames,
            late: LateRequest(
                parameters: try resolver.lateNamed(parameters, key: "\(key).parameters"),
                headers: try resolver.lateNamed(headers, key: "\(key).headers")))
    }

    /// The inherited rules for a section in which these keys are empty.
    private func without(_ keys: Set<String>) -> RequestRules {
        var rules = self
        if keys.contains("headers") { rules.headers = NamedList() }
        if keys.contains("rename") { rules.rename = NamedList() }
        if keys.contains("omit") { rules.omit = [] }
        if keys.contains("query_parameters") { rules.queryParameters = [] }
        if keys.contains("encode") { rules.encode = NamedList() }
        return rules
    }
}

extension NamedList<Template> {
    /// The names of those whose text is JSON.
    package var jsonNames: Set<String> { Set(items.lazy.filter(\.value.isJSON).map(\.name)) }
}
