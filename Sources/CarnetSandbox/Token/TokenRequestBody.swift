import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

/// The parameters of a request to the token endpoint, and how they came.
struct TokenRequestBody {
    let encoding: BodyEncoding
    private(set) var parameters: ReceivedParameters
    /// The names of those that came in the query beside a body.
    private let queried: [String]
    /// Whether nothing was sent beside the query: an empty form looks so.
    private let isEmpty: Bool

    /// Reads the body in any supported encoding.
    init(_ request: ServerRequest, endpoint: WebURL) throws(OAuthError) {
        let query = try request.query(beyond: endpoint)
        isEmpty = request.body.isEmpty
        queried = query.pairs.map(\.name)
        guard !isEmpty else {
            (encoding, parameters) = (.query, query)
            return
        }
        let body: ReceivedParameters
        switch request.mediaType {
        case "application/x-www-form-urlencoded":
            (encoding, body) = (.form, try ReceivedParameters(form: request.body))
        case "application/json":
            (encoding, body) = (.json, try ReceivedParameters(json: request.body))
        case let type:
            throw .invalidRequest("the content type is \(type ?? "missing"), neither a form nor JSON")
        }
        parameters = query.pairs.isEmpty ? body : body.adding(query)
    }

    /// Demands what the descriptor says of a request: method, encoding, headers, and its parameters.
    mutating func check(
        _ request: ServerRequest, against rules: ResolvedRequest, mayRepeat: Set<String> = []
    ) throws(OAuthError) {
        guard request.method.rawValue == rules.method.rawValue else {
            throw .invalidRequest("the method is \(request.method.rawValue); it must be \(rules.method.rawValue)")
        }
        try check(rules.encoding, queried: rules.queryParameters)
        try request.checkHeaders(rules.headers)
        let names = ParameterNames(rules)
        if rules.encoding != .query { try checkQuery(rules, names) }
        try parameters.decode(names)
        try parameters.check(names, added: rules.parameters, mayRepeat: mayRepeat)
    }

    /// Demands an encoding.
    ///
    /// - Parameter names: The parameters that may be in the query; `nil` for any.
    func check(_ wanted: BodyEncoding, queried names: [String]? = nil) throws(OAuthError) {
        // Without a parameter for the body, an empty one is the form.
        let isEmptyForm = isEmpty && wanted == .form && queried.allSatisfy { names?.contains($0) ?? true }
        guard encoding == wanted || isEmptyForm else {
            throw .invalidRequest("the parameters are sent as \(encoding.phrase); here they must be \(wanted.phrase)")
        }
    }

    /// Beside a body the query holds just what the descriptor puts there (RFC 6749, section 3.2, knows nothing there).
    private func checkQuery(_ rules: ResolvedRequest, _ names: ParameterNames) throws(OAuthError) {
        let wanted = rules.queryParameters.map { names[$0] }
        for name in queried where !wanted.contains(name) {
            throw .invalidRequest("the parameter \(name) is in the query; it must be in the body")
        }
        for name in wanted where parameters.contains(name) && !queried.contains(name) {
            throw .invalidRequest("the parameter \(name) is in the body; it must be in the query")
        }
    }
}

/// A request that has met the rules of its section, and the client that it authenticated.
struct ClientRequest {
    let parameters: ReceivedParameters
    let names: ParameterNames
    let client: SandboxClient
    /// The thumbprint of the key that it proved to have (RFC 9449).
    var keyThumbprint: String?
}

extension AuthorizationServer {
    /// - Parameters:
    ///   - isNaming: Whether it must have the client's id, unless the descriptor leaves it out.
    ///   - own: The method of this request, for a client that has its credentials.
    mutating func clientRequest(
        _ request: ServerRequest, _ body: TokenRequestBody, _ described: ResolvedRequest, mayRepeat: Set<String> = [],
        isNaming: Bool = false, own: ClientAuthenticationMethod? = nil
    ) throws(OAuthError) -> ClientRequest {
        var body = body
        let rules = try filled(described, for: request, body.parameters)
        try body.check(request, against: rules, mayRepeat: mayRepeat)
        let names = ParameterNames(rules)
        if isNaming, !names.omits("client_id") { _ = try body.parameters.require("client_id", names) }
        let parameters = body.parameters.adding(ReceivedParameters(leftOut(by: described, in: request)))
        let client = try authenticateClient(request, parameters, names, rules, own: own)
        return ClientRequest(parameters: parameters, names: names, client: client)
    }
}

extension BodyEncoding {
    fileprivate var phrase: String {
        switch self {
        case .form: "a form (application/x-www-form-urlencoded)"
        case .json: "JSON (application/json)"
        case .query: "the query of the URL"
        }
    }
}
