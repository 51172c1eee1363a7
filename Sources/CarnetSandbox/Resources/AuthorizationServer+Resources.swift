import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

/// Why a resource refuses a token (RFC 6750, section 3).
enum BearerRefusal: Error {
    case noToken
    case invalidToken(String)
    case insufficientScope([String])
    /// RFC 9470, section 3.
    case insufficientAuthentication
    /// RFC 9449, section 7.1.
    case badProof(OAuthError)
    case badRequest(String)
    case methodNotAllowed(String)

    static func badRequest(_ error: OAuthError) -> Self { .badRequest(error.description) }
}

extension AuthorizationServer {
    /// The userinfo endpoint (OpenID Connect Core, section 5.3), or the profile of an OAuth API.
    mutating func userinfo(_ request: ServerRequest) -> Reply {
        userinfoReply(request).succeeding(as: provider.profile.outcome.success)
    }

    private mutating func userinfoReply(_ request: ServerRequest) -> Reply {
        var clientID = ""
        let isSigned = provider.profile.jwt.isRequired
        let sample = isSigned ? nil : provider.samples.userinfo
        var reply = respond(request, as: isSigned ? .json : provider.profile.format, like: sample) {
            (server) throws(BearerRefusal) in
            let (body, client) = try server.userinfoBody(request)
            clientID = client
            return body
        }
        guard isSigned, reply.status == .ok,
            var claims = try? JSONValue(parsing: reply.body)
        else { return reply }
        claims.set(.string(tokenIssuer), at: JSONPointer(tokens: ["iss"]))
        claims.set(.string(clientID), at: JSONPointer(tokens: ["aud"]))
        guard let token = try? makeSignedResponse(claims, type: "JWT", provider.profile.jwt, for: clientID) else {
            return .serverError
        }
        reply.body = Array(token.utf8)
        reply.headers[.contentType] = "application/jwt"
        return reply
    }

    private mutating func userinfoBody(
        _ request: ServerRequest
    ) throws(BearerRefusal) -> (JSONValue, clientID: String) {
        guard let url = endpoints[.userinfo], request.method.rawValue == provider.profile.request.method.rawValue else {
            throw .methodNotAllowed(provider.profile.request.method.rawValue)
        }
        let (access, grant) = try bearer(
            request, in: provider.profile.tokenIn,
            replacedBy: provider.api.lateHeaders + provider.profile.request.late.headers)
        let values = values(of: request, with: access, grant)
        let own = provider.profile.ownRequest
        if provider.profile.tokenIn != nil {
            try checkOfAPI(request, values, besides: own.headers.names + ["content-type"], own.parameters.names)
        }
        try check(request, at: url, against: try filled(provider.profile.request, values, for: request))
        let scopes = effectiveScopes(access.scopes)
        // A provider may know the scope, and have a profile that is no userinfo response.
        let isAsked = !provider.authorization.omit.contains("scope")
        let requested = isAsked ? provider.scopes.defaults + provider.scopes.required : []
        if issuesIDTokens, requested.contains("openid"), !scopes.contains("openid") {
            throw .insufficientScope(["openid"])
        }
        let identity = Identity(grant.user, at: provider)
        let first =
            has(.userinfoWrongSubject) ? identity.profile(ofSubject: "999999999") : identity.userinfo(for: scopes)
        let body = completed(
            first, of: request, at: url, with: own.parameters, granting: access, to: grant.user)
        return (provider.profile.outcome.success.adding(to: aggregating(body, of: grant.user)), grant.clientID)
    }

    /// What a request with the access token may be filled with. The profile that names the account, and the requests that
    /// bring the values of the connection, are made before these are known.
    mutating func values(
        of request: ServerRequest, with access: AccessToken, _ grant: Grant, isLookup: Bool = false
    ) -> TemplateValues {
        var values = values(of: request, for: client(grant.clientID), grant)
        values.set(.token, "access_token", access.text)
        if !grant.isUsed || isLookup { values.known = values.known.filter { $0.key.origin != .connection } }
        ledger.grants[access.grantID]?.isUsed = true
        return values
    }

    /// The rules with what a request must then have.
    func filled(
        _ rules: ResolvedRequest, _ values: TemplateValues, for request: ServerRequest
    ) throws(BearerRefusal) -> ResolvedRequest {
        try translating(BearerRefusal.badRequest, try filled(rules, values, request, request.allParameters))
    }

    /// Demands the headers and parameters that the descriptor adds.
    func check(
        _ request: ServerRequest, at url: WebURL, against rules: ResolvedRequest
    ) throws(BearerRefusal) {
        do throws(OAuthError) {
            try request.checkHeaders(rules.headers)
            let body = try TokenRequestBody(request, endpoint: url)
            try body.check(rules.encoding)
            try body.parameters.check(ParameterNames(rules), added: rules.parameters)
        } catch {
            throw .badRequest(error)
        }
    }

    /// Demands what the section `api` says of a request with the access token, except what a request says otherwise. The
    /// content type is that of the request's own body.
    func checkOfAPI(
        _ request: ServerRequest, _ values: TemplateValues, besides headers: [String], _ parameters: [String] = []
    ) throws(BearerRefusal) {
        let stated = Set(headers.map { $0.lowercased() })
        do throws(OAuthError) {
            let headers = try demanded(provider.api.headers, provider.api.lateHeaders, values, by: request)
            try request.checkHeaders(headers.filter { !stated.contains($0.name.lowercased()) })
            let query = try ReceivedParameters(form: request.url.query ?? "")
            let added = provider.api.parameters + values.named(provider.api.lateParameters) { query[$0] }
            for parameter in added where !parameters.contains(parameter.name) && !query.contains(parameter.name) {
                throw .invalidRequest("the parameter \(parameter.name)=\(parameter.value) is missing")
            }
        } catch {
            throw .badRequest("\(error.description); the section api says this of every request with the access token")
        }
    }

    /// Whether this server is the resource server of a URL.
    func hasResource(at url: WebURL) -> Bool {
        resources.contains { $0.target.receives(url) } || !connectionCalls(at: url).isEmpty || isProtectedResource(url)
            || provider.api.hosts.contains { $0 == url.host || $0 == url.authority }
    }

    /// Whether this is the resource that all tokens are for.
    private func isProtectedResource(_ url: WebURL) -> Bool { provider.resource?.receives(url) ?? false }

    /// The metadata of the resource (RFC 9728, section 2).
    func resourceMetadata(_ request: ServerRequest) -> Reply {
        guard request.method == .get else { return .methodNotAllowed(request.method, allowed: "GET") }
        var document = JSONObject()
        document["resource"] = provider.resource.map { .string($0.text) }
        // An address, which the issuer in the metadata need not be.
        let server = provider.issuer ?? metadataIssuer
        document["authorization_servers"] = .array([server].compactMap { $0 }.map { .string($0) })
        if !provider.scopes.defaults.isEmpty {
            document["scopes_supported"] = .array(provider.scopes.defaults.map { .string($0) })
        }
        document["bearer_methods_supported"] = ["header"]
        document["resource_name"] = .string(provider.name)
        return .json(.object(document))
    }

    /// Whether the request brings an access token that this server has issued, good or not.
    func hasIssued(tokenOf request: ServerRequest) -> Bool {
        guard let token = try? bearerToken(request, in: provider.api.tokenIn) else { return false }
        return ledger.accessTokens[token] != nil
    }

    /// A protected resource (RFC 6750).
    mutating func resource(_ request: ServerRequest) -> Reply {
        let call = connectionCall(for: request)
        let reply = respond(request) { (server) throws(BearerRefusal) in
            try server.resourceBody(request, call)
        }
        return call.map { reply.succeeding(as: $0.rules.outcome.success) } ?? reply
    }

    private mutating func resourceBody(
        _ request: ServerRequest, _ call: ConnectionCall?
    ) throws(BearerRefusal) -> JSONValue {
        let candidates = resources.filter { $0.target.receives(request.url) }
        let resource = candidates.first { $0.method.rawValue == request.method.rawValue }
        if resource == nil, let other = candidates.first { throw .methodNotAllowed(other.method.rawValue) }
        let placement = (call?.rules.tokenIn).placement(else: provider.api.tokenIn)
        let (access, grant) = try bearer(
            request, in: placement, replacedBy: provider.api.lateHeaders + (call?.rules.headers.items ?? []))
        let values = values(of: request, with: access, grant, isLookup: call != nil)
        if let call {
            let own = call.rules.headers.names + ["content-type"]
            if placement != nil { try checkOfAPI(request, values, besides: own, call.rules.parameters.names) }
            try translating(BearerRefusal.badRequest, try check(call.rules, request, grant, token: access.text))
            let body = completed(
                call.response, of: request, at: call.url, with: call.rules.parameters, granting: access,
                to: grant.user)
            return call.rules.outcome.success.adding(to: body)
        }
        // Headers that describe a body are sent only with a body.
        let late = resource.flatMap { made in provider.lateResources.map(\.resource).first { $0.made(made) } }
        let headers = try translating(
            BearerRefusal.badRequest,
            try demanded(late?.headers ?? resource?.headers ?? [], late?.lateHeaders ?? [], values, by: request))
        try checkOfAPI(
            request, values, besides: headers.map(\.name) + (request.body.isEmpty ? ["content-type"] : []))
        let own = headers.filter { !request.body.isEmpty || $0.name.lowercased() != "content-type" }
        try translating(BearerRefusal.badRequest, try request.checkHeaders(own))
        // RFC 8707, section 2: a token for another resource opens nothing here.
        if isProtectedResource(request.url), let own = provider.resource?.text {
            guard grant.resources.contains(where: { $0.isSameBytes(as: own) }) else {
                throw .invalidToken("the access token is for another resource")
            }
        }
        guard !has(.stepUp) || grant.acr == Self.strongAuthentication else { throw .insufficientAuthentication }
        let missing = resource?.requirement.missing(from: effectiveScopes(access.scopes)) ?? []
        guard missing.isEmpty else { throw .insufficientScope(missing) }
        return [
            "resource": .string(resource?.title ?? request.url.path),
            "method": .string(request.method.rawValue),
            "subject": .string(Identity(grant.user, at: provider).subject),
            "scopes": .array(access.scopes.map { .string($0) }),
        ]
    }

    /// The class of authentication that the fault `step-up` wants.
    private static let strongAuthentication = "urn:carnet:acr:2"

    /// - Parameters:
    ///   - placement: `nil` if the request must not have the token; it is then for the latest sign-in that has not ended.
    ///   - replaced: Headers of the descriptor, of which one may replace the Authorization header.
    mutating func bearer(
        _ request: ServerRequest, in placement: TokenPlacement?, replacedBy replaced: [Named<Template>] = []
    ) throws(BearerRefusal) -> (AccessToken, Grant) {
        guard let placement else { return try latest(request) }
        let own = replaced.last { $0.name.lowercased() == "authorization" }
        let found = own.flatMap { tokenIn(request, at: $0.value) }
        let token = if let found { found } else { try bearerToken(request, in: placement) }
        guard let known = ledger.accessTokens[token] else { throw .invalidToken("the access token is unknown") }
        guard let (access, grant) = ledger.activeAccess(token, at: seams.now()) else {
            let isRevoked = ledger.grants[known.grantID]?.isRevoked ?? true
            throw .invalidToken("the access token is \(isRevoked ? "revoked" : "expired")")
        }
        try checkPossession(request, of: grant, token: token)
        guard [nil, presentedThumbprint].contains(grant.certificateThumbprint) else {
            throw .invalidToken("the certificate is not the one that the token is bound to")
        }
        return (access, grant)
    }

    /// The latest sign-in that has not ended, for a request that must have neither a token nor a proof of its key. Nothing in
    /// the request says whose it is.
    private func latest(_ request: ServerRequest) throws(BearerRefusal) -> (AccessToken, Grant) {
        let sent = request.possibleCredentials + [request.url.text]
        let hasToken = ledger.accessTokens.keys.contains { token in sent.contains { $0.contains(token) } }
        guard request.header("DPoP") == nil, !hasToken else {
            throw .badRequest("the request must not have the access token: token_in is none")
        }
        for token in ledger.accessTokens.keys {
            if let found = ledger.activeAccess(token, at: seams.now()) { return (found.token, found.grant) }
        }
        throw .invalidToken("nobody is signed in")
    }

    /// The access token that makes an Authorization header of the descriptor's own what it is.
    private func tokenIn(_ request: ServerRequest, at template: Template) -> String? {
        guard let header = request.head.headerFields[.authorization] else { return nil }
        // Each try is a whole sign-in, so only the latest ones are tried.
        return ledger.accessTokens.keys.prefix(100).first { token in
            let grant = ledger.accessTokens[token].flatMap { ledger.grants[$0.grantID] }
            var values = values(of: request, for: grant.flatMap { client($0.clientID) } ?? onlyClient, grant)
            values.set(.token, "access_token", token)
            return values.fill(template)?.text.isSameBytes(as: header) ?? false
        }
    }

    /// A bound token comes with its own scheme and a proof of its key (RFC 9449, section 7.1).
    private mutating func checkPossession(
        _ request: ServerRequest, of grant: Grant, token: String
    ) throws(BearerRefusal) {
        let isDPoP = request.head.headerFields[.authorization]?.lowercased().hasPrefix("dpop ") ?? false
        guard isDPoP == (grant.keyThumbprint != nil) else {
            throw .invalidToken("the scheme is not that of the token's type")
        }
        guard isDPoP else { return }
        let proved = try translating(BearerRefusal.badProof, try checkProof(request, accessToken: token))
        guard proved == grant.keyThumbprint else {
            throw .badProof(.invalidProof("the proof was made with another key than the token's"))
        }
    }

    /// The access token at the one place where it belongs.
    func bearerToken(_ request: ServerRequest, in placement: TokenPlacement) throws(BearerRefusal) -> String {
        let header = request.head.headerFields[.authorization]
        switch placement {
        case .header(let name):
            guard header == nil else { throw .badRequest("the access token must be in the header \(name) only") }
            guard let token = request.header(name) else { throw .noToken }
            return token
        case .query(let name, _):
            guard header == nil else { throw .badRequest("the access token must be in the query only") }
            guard let token = request.query?[name] else { throw .noToken }
            return token
        case .body(let name, _):
            guard header == nil else { throw .badRequest("the access token must be in the body only") }
            guard request.query?.contains(name) != true else {
                throw .badRequest("the access token must not be in the query")
            }
            guard let body = try? TokenRequestBody(request, endpoint: request.url), let token = body.parameters[name]
            else { throw .noToken }
            return token
        case .authorization:
            guard let header else { throw .noToken }
            let parts = header.split(separator: " ", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == "dpop" { return String(parts[1]) }
            if provider.api.sendsBareToken {
                guard parts.count == 1 else {
                    throw .badRequest("the Authorization header contains more than the token")
                }
                return header
            }
            guard parts.count == 2, parts[0].lowercased() == provider.api.scheme.lowercased() else {
                throw .badRequest("the Authorization header is not of the scheme \(provider.api.scheme)")
            }
            return String(parts[1])
        }
    }

    mutating func respond(
        _ request: ServerRequest,
        as format: ResponseFormat = .auto,
        like sample: JSONValue? = nil,
        _ make: (inout AuthorizationServer) throws(BearerRefusal) -> JSONValue
    ) -> Reply {
        do throws(BearerRefusal) {
            let value = try make(&self)
            var reply = Reply.value(value, as: format)
            if let text = sample?.exactBody(saying: value, as: format) { reply.body = Array(text.utf8) }
            return reply.offering(nonce: request.header("DPoP") == nil ? nil : dpopNonce)
        } catch {
            switch error {
            case .noToken:
                return challenge(.unauthorized, nil, "an access token is required")
            case .invalidToken(let text):
                return provider.api.errors.replyToExpiredToken ?? challenge(.unauthorized, "invalid_token", text)
            case .insufficientScope(let missing):
                return challenge(.forbidden, "insufficient_scope", "a scope is missing", scopes: missing)
            case .insufficientAuthentication:
                let error = "insufficient_user_authentication"
                var reply = challenge(.unauthorized, error, "another sign-in is required")
                reply.headers[.wwwAuthenticate]? += ", acr_values=\"\(Self.strongAuthentication)\", max_age=\"3600\""
                return reply
            case .badProof(let refusal):
                return challenge(.unauthorized, refusal.code, refusal.description, scheme: "DPoP")
                    .offering(nonce: dpopNonce)
            case .badRequest(let text):
                return challenge(.badRequest, "invalid_request", text)
            case .methodNotAllowed(let allowed):
                return .methodNotAllowed(request.method, allowed: allowed)
            }
        }
    }

    private func challenge(
        _ status: HTTPResponse.Status, _ code: String?, _ text: String, scopes: [String] = [],
        scheme: String? = nil
    ) -> Reply {
        var header = "\(scheme ?? provider.api.scheme) realm=\"\(provider.id)\""
        var body: JSONValue = ["error_description": .string(text)]
        if let code {
            // Without a token a resource says no more than that one is needed (RFC 6750, section 3.1).
            let error = OAuthError(code, text)
            header += ", error=\"\(code)\", error_description=\"\(error.description)\""
            body = ["error": .string(code), "error_description": .string(error.description)]
        }
        if let url = endpoints.resourceMetadata { header += ", resource_metadata=\"\(url.text)\"" }
        if !scopes.isEmpty { header += ", scope=\"\(scopes.joined(separator: " "))\"" }
        return .json(body, status: status, [.wwwAuthenticate: header])
    }
}

extension ErrorFields {
    /// The provider's own response to an expired access token, if the descriptor has one.
    fileprivate var replyToExpiredToken: Reply? {
        let meaning = "invalid_token"
        if let code = codes.items.first(where: { $0.value == meaning })?.name, let place = self.code.pointers.first {
            var body = JSONValue.object(JSONObject())
            body.set(.string(code), at: place)
            return .json(body, status: .forbidden)
        }
        let status = statuses.items.first { $0.value == meaning }.flatMap { Int($0.name) }
        return status.map { .json([:], status: HTTPResponse.Status(code: $0)) }
    }
}
