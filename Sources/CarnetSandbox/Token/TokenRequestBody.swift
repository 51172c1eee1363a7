import CarnetDescriptors
import HTTPTypes

/// The parameters of a request to the token endpoint, and how they came.
struct TokenRequestBody {
    let encoding: BodyEncoding
    let parameters: ReceivedParameters

    /// Reads whatever was sent.
    init(_ request: ServerRequest, endpoint: WebURL) throws(OAuthError) {
        let query = try request.query(beyond: endpoint)
        guard !request.body.isEmpty else {
            encoding = .query
            parameters = query
            return
        }
        switch request.mediaType {
        case "application/x-www-form-urlencoded":
            encoding = .form
            parameters = try ReceivedParameters(form: request.body)
        case "application/json":
            encoding = .json
            parameters = try ReceivedParameters(json: request.body)
        case let type:
            throw .invalidRequest("the content type is \(type ?? "missing"), neither a form nor JSON")
        }
        guard query.pairs.isEmpty else {
            throw .invalidRequest("parameters are both in the body and in the query (RFC 6749, section 3.2)")
        }
    }

    /// Demands what the descriptor says of a request: method, encoding, headers, and its parameters.
    func check(_ request: ServerRequest, against rules: ResolvedRequest) throws(OAuthError) {
        guard request.method.rawValue == rules.method.rawValue else {
            throw .invalidRequest("the method is \(request.method.rawValue); it must be \(rules.method.rawValue)")
        }
        let wanted = rules.method == .get ? .query : rules.body
        guard encoding == wanted else {
            throw .invalidRequest("the parameters are sent as \(encoding.phrase); here they must be \(wanted.phrase)")
        }
        try request.checkHeaders(rules.headers)
        try parameters.check(ParameterNames(rules), added: rules.parameters)
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
