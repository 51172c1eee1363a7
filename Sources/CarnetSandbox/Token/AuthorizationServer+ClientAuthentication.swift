import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension AuthorizationServer {
    /// Finds out which client asks and demands the one way of authentication that it is registered for
    /// (RFC 6749, section 2.3).
    ///
    /// - Parameters:
    ///   - rules: The rules of the request, which it has met.
    ///   - own: The method of this request, for a client that has its credentials.
    mutating func authenticateClient(
        _ request: ServerRequest, _ received: ReceivedParameters, _ names: ParameterNames,
        _ rules: ResolvedRequest? = nil, own: ClientAuthenticationMethod? = nil
    ) throws(OAuthError) -> SandboxClient {
        let sentID = received[names["client_id"]]
        let sentSecret = received[names["client_secret"]]
        let isReplaced = rules?.headers.contains { $0.name.lowercased() == "authorization" } ?? false
        if isReplaced {
            // The header is what the descriptor makes of this client.
            guard let client = sentID.map({ client($0) }) ?? onlyClient else {
                throw .invalidClient("the request does not say which client sends it")
            }
            // The header, or a parameter beside it, may be the client's assertion.
            let method = methodOf(client, own)
            if method.usesAssertion, let token = try receivedAssertion(received, names) {
                try verify(token, of: client, method)
            }
            return client
        }
        let header = request.head.headerFields[.authorization]
        var (used, id, secret) = (
            sentSecret == nil ? ClientAuthenticationMethod.none : .clientSecretPost, sentID, sentSecret
        )
        if let header {
            // RFC 6749, section 2.3: a client uses one method. A descriptor may say that its provider demands both.
            let isDemanded = rules?.parameters.contains { $0.name == names["client_secret"] } ?? false
            guard sentSecret == nil || isDemanded else {
                throw .invalidRequest("the client's credentials are sent twice, in a header and in the body")
            }
            let basic = try basicCredentials(header)
            guard sentID?.isSameBytes(as: basic.id) ?? true else {
                throw .invalidRequest("the header and the body name different clients")
            }
            (used, id, secret) = (.clientSecretBasic, basic.id, basic.secret)
        }
        // Where a descriptor leaves `client_id` out, the only client is meant.
        guard let id = id ?? (names.omits("client_id") ? onlyClient?.clientID : nil) else {
            throw .invalidClient("the parameter \(names["client_id"]) is missing")
        }
        guard let client = client(id) else { throw .invalidClient("there is no client \"\(id)\"") }
        let method = methodOf(client, own)
        if method.usesAssertion {
            guard header == nil, let token = try receivedAssertion(received, names) else {
                throw .invalidClient("the client is registered for \(method.rawValue), and sent no assertion")
            }
            guard provider.client.assertion.sendAs == .clientSecret || sentSecret == nil else {
                throw .invalidRequest("the client's credentials are sent twice")
            }
            try verify(token, of: client, method)
            return client
        }
        if method.usesCertificate {
            guard header == nil, sentSecret == nil else {
                throw .invalidRequest("the client is registered for \(method.rawValue), and sent a secret")
            }
            try verifyCertificate(request, of: client, method)
            return client
        }
        // Where the secret is left out, something else that was made with it comes in its place.
        let isProvedOtherwise = method == .clientSecretPost && used == .none && names.omits("client_secret")
        guard used == method || isProvedOtherwise else {
            throw .invalidClient("the client is registered for \(method.rawValue), but \(used.rawValue) was used")
        }
        if let known = client.clientSecret, method.usesSecret, !isProvedOtherwise,
            secret?.isSameBytes(as: known) != true
        {
            throw .invalidClient("the client secret is wrong")
        }
        return client
    }

    /// - Parameter own: The method of the request, for a client that has its credentials.
    private func methodOf(_ client: SandboxClient, _ own: ClientAuthenticationMethod?) -> ClientAuthenticationMethod {
        own.flatMap { client.canUse($0) ? $0 : nil } ?? client.method(for: provider.client)
    }

    private func basicCredentials(_ header: String) throws(OAuthError) -> (id: String, secret: String) {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic",
            let bytes = Data(base64Encoded: String(parts[1])), let text = String(validating: bytes, as: UTF8.self),
            let colon = text.firstIndex(of: ":")
        else { throw .invalidClient("the Authorization header does not have the scheme Basic (RFC 7617)") }
        let id = text[..<colon]
        let secret = text[text.index(after: colon)...]
        switch provider.client.basicEncoding ?? .percent {
        case .raw: return (String(id), String(secret))
        case .percent:
            guard let id = PercentEncoding.decode(id), let secret = PercentEncoding.decode(secret) else {
                throw .invalidClient("id or secret is not percent-encoded (RFC 6749, section 2.3.1)")
            }
            return (id, secret)
        }
    }

    /// An error of the token endpoint (RFC 6749, section 5.2) in the shape that the descriptor's sample has.
    func errorReply(_ error: OAuthError, by own: ResponseRules? = nil) -> Reply {
        let rules = own ?? provider.token.response
        if let reply = Reply(error, statuses: rules.errors.statuses) { return reply }
        var body = provider.samples.error?.read(as: rules.format) ?? .object(JSONObject())
        let code = rules.errors.codes.name(of: error)
        for (pointers, text) in [(rules.errors.code, code), (rules.errors.message, error.description)] {
            let place = pointers.pointers.first { body[$0] != nil } ?? pointers.pointers.first
            if let place { body.set(.string(text), at: place) }
        }
        var status = HTTPResponse.Status.badRequest
        var headers = HTTPFields()
        if error.code == "invalid_client" {
            status = .unauthorized
            headers[.wwwAuthenticate] = "Basic realm=\"\(provider.id)\""
        } else if error.code == "server_error" {
            status = .internalServerError
        }
        if let field = rules.success.field?.pointers.first {
            // The error is in the body only.
            status = rules.success.status
            headers = [:]
            if rules.success.isSuccess(body) != false || body[field] == nil {
                body.set(rules.success.failure, at: field)
            }
        }
        return .value(body, as: rules.format, status: status, headers)
    }
}

extension SuccessRules {
    /// A value of the member that does not say success, of the type of those that do.
    fileprivate var failure: JSONValue {
        switch values.first {
        case .number: .number(values.contains { $0.scalarText == "1" } ? "-1" : "1")
        case .string: .string("error")
        case .bool(let value): .bool(!value)
        default: false
        }
    }
}

extension NamedList<String> {
    /// The provider's own code for an error.
    func name(of error: OAuthError) -> String { items.first { $0.value == error.code }?.name ?? error.code }
}

extension Reply {
    /// The response of a provider that says by the status alone what is wrong; `nil` if it says it in the body.
    init?(_ error: OAuthError, statuses: NamedList<String>) {
        guard let status = statuses.items.first(where: { $0.value == error.code }).flatMap({ Int($0.name) }) else {
            return nil
        }
        self.init(HTTPResponse.Status(code: status), [:], body: [])
    }
}
