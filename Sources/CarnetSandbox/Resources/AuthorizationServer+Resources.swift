import CarnetDescriptors
import HTTPTypes

/// Why a resource refuses a token (RFC 6750, section 3).
enum BearerRefusal: Error {
    case noToken
    case invalidToken(String)
    case insufficientScope([String])
    case badRequest(String)
    case methodNotAllowed(String)
}

extension AuthorizationServer {
    /// The userinfo endpoint (OpenID Connect Core, section 5.3), or the profile of an OAuth API.
    func userinfo(_ request: ServerRequest) -> Reply {
        answer(request, as: provider.profileFormat) { () throws(BearerRefusal) in
            guard let url = endpoints[.userinfo], request.method.rawValue == provider.profile.method.rawValue else {
                throw .methodNotAllowed(provider.profile.method.rawValue)
            }
            let (access, grant) = try bearer(request, in: provider.profileTokenPlacement)
            try check(
                request, at: url, against: provider.profile.filled(values(of: request, for: client(grant.clientID))))
            let scopes = effectiveScopes(access.scopes)
            let known = provider.scopes.catalog.map(\.id) + provider.scopes.defaults + provider.scopes.required
            if known.contains("openid"), !scopes.contains("openid") { throw .insufficientScope(["openid"]) }
            let identity = Identity(grant.user, at: provider)
            return has(.userinfoWrongSubject)
                ? identity.profile(ofSubject: "999999999") : identity.userinfo(for: scopes)
        }
    }

    /// Demands the headers and parameters that the descriptor adds.
    func check(
        _ request: ServerRequest, at url: WebURL, against rules: ResolvedRequest
    ) throws(BearerRefusal) {
        do throws(OAuthError) {
            try request.checkHeaders(rules.headers)
            let received =
                request.body.isEmpty
                ? try request.query(beyond: url) : try TokenRequestBody(request, endpoint: url).parameters
            try received.check(ParameterNames(rules), added: rules.parameters)
        } catch {
            throw .badRequest(error.description)
        }
    }

    /// Whether this server answers for a URL as a resource server.
    func hasResource(at url: WebURL) -> Bool {
        resources.contains { $0.url.receives(url) } || isConnectionURL(url)
            || provider.apiHosts.contains { $0 == url.host || $0 == url.authority }
    }

    /// Whether the request brings an access token that this server has issued, good or not.
    func hasIssued(tokenOf request: ServerRequest) -> Bool {
        guard let token = try? bearerToken(request, in: provider.apiTokenPlacement) else { return false }
        return ledger.accessTokens[token] != nil
    }

    /// A protected resource (RFC 6750).
    func resource(_ request: ServerRequest) -> Reply {
        answer(request) { () throws(BearerRefusal) in
            let candidates = resources.filter { $0.url.receives(request.url) }
            let resource = candidates.first { $0.method.rawValue == request.method.rawValue }
            if resource == nil, let other = candidates.first { throw .methodNotAllowed(other.method.rawValue) }
            let (access, grant) = try bearer(request, in: provider.apiTokenPlacement)
            do throws(OAuthError) {
                if let call = connectionCall(for: request) {
                    try check(call.rules, request)
                    return call.answer
                }
                try request.checkHeaders(apiHeaders + (resource?.headers ?? []))
            } catch {
                throw .badRequest(error.description)
            }
            let missing = resource?.requirement.missing(from: effectiveScopes(access.scopes)) ?? []
            guard missing.isEmpty else { throw .insufficientScope(missing) }
            return [
                "resource": .string(resource?.title ?? request.url.path),
                "method": .string(request.method.rawValue),
                "subject": .string(Identity(grant.user, at: provider).subject),
                "scopes": .array(access.scopes.map { .string($0) }),
            ]
        }
    }

    func bearer(
        _ request: ServerRequest, in placement: TokenPlacement
    ) throws(BearerRefusal) -> (AccessToken, Grant) {
        let token = try bearerToken(request, in: placement)
        guard let known = ledger.accessTokens[token] else { throw .invalidToken("the access token is unknown") }
        guard let (access, grant) = ledger.activeAccess(token, at: seams.now()) else {
            let isRevoked = ledger.grants[known.grantID]?.isRevoked ?? true
            throw .invalidToken("the access token is \(isRevoked ? "revoked" : "expired")")
        }
        return (access, grant)
    }

    /// The access token at the one place where it belongs.
    func bearerToken(_ request: ServerRequest, in placement: TokenPlacement) throws(BearerRefusal) -> String {
        let header = request.head.headerFields[.authorization]
        switch placement {
        case .header(let name):
            guard header == nil else { throw .badRequest("the access token belongs into the header \(name) alone") }
            guard let token = request.header(name) else { throw .noToken }
            return token
        case .query(let name, _):
            guard header == nil else { throw .badRequest("the access token belongs into the query alone") }
            let received = try? ReceivedParameters(form: request.url.query ?? "")
            guard let token = received?[name] else { throw .noToken }
            return token
        case .authorization:
            guard let header else { throw .noToken }
            let parts = header.split(separator: " ", maxSplits: 1)
            if provider.sendsBareToken {
                guard parts.count == 1 else { throw .badRequest("the Authorization header holds more than the token") }
                return header
            }
            guard parts.count == 2, parts[0].lowercased() == provider.apiScheme.lowercased() else {
                throw .badRequest("the Authorization header is not of the scheme \(provider.apiScheme)")
            }
            return String(parts[1])
        }
    }

    func answer(
        _ request: ServerRequest,
        as format: ResponseFormat = .auto,
        _ make: () throws(BearerRefusal) -> JSONValue
    ) -> Reply {
        do throws(BearerRefusal) {
            return .value(try make(), as: format)
        } catch {
            switch error {
            case .noToken:
                return challenge(.unauthorized, nil, "an access token is needed")
            case .invalidToken(let text):
                return challenge(.unauthorized, "invalid_token", text)
            case .insufficientScope(let missing):
                return challenge(.forbidden, "insufficient_scope", "a scope is missing", scopes: missing)
            case .badRequest(let text):
                return challenge(.badRequest, "invalid_request", text)
            case .methodNotAllowed(let allowed):
                return .methodNotAllowed(request.method, allowed: allowed)
            }
        }
    }

    private func challenge(
        _ status: HTTPResponse.Status, _ code: String?, _ text: String, scopes: [String] = []
    ) -> Reply {
        var header = "\(provider.apiScheme) realm=\"\(provider.id)\""
        var body: JSONValue = ["error_description": .string(text)]
        if let code {
            // Without a token a resource says no more than that one is needed (RFC 6750, section 3.1).
            let error = OAuthError(code, text)
            header += ", error=\"\(code)\", error_description=\"\(error.description)\""
            body = ["error": .string(code), "error_description": .string(error.description)]
        }
        if !scopes.isEmpty { header += ", scope=\"\(scopes.joined(separator: " "))\"" }
        return .json(body, status: status, [.wwwAuthenticate: header])
    }
}
