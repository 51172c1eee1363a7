import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension AuthorizationServer {
    /// The revocation endpoint (RFC 7009). Either token takes the whole family with it.
    mutating func revocation(_ request: ServerRequest) throws(OAuthError) -> Reply {
        let (token, client) = try revokedToken(request)
        if let id = ledger.grantID(of: token), let grant = ledger.grants[id] {
            guard client.map({ grant.clientID.isSameBytes(as: $0.clientID) }) ?? true else {
                throw .invalidGrant("the token was issued to another client")
            }
            ledger.revoke(grant: id)
        }
        let rules = provider.revocation.success
        guard let field = rules.field?.pointers.first else { return Reply(rules.status, [.cacheControl: "no-store"]) }
        var body: JSONValue = [:]
        body.set(rules.values.first ?? true, at: field)
        return .json(body, status: rules.status)
    }

    /// The token to revoke, and the client that asks if it is not the token that speaks for it.
    private mutating func revokedToken(_ request: ServerRequest) throws(OAuthError) -> (String, SandboxClient?) {
        guard let placement = provider.revocation.tokenIn else {
            let name = ParameterNames(provider.revocation.request)["token"]
            let id = request.allParameters[name].flatMap { ledger.grantID(of: $0) }
            var known = values(of: request, for: revokingClient(request), id.flatMap { ledger.grants[$0] })
            if let id {
                let token = ledger.accessTokens.keys.first { ledger.accessTokens[$0]?.grantID == id }
                known.set(.token, "access_token", token)
            }
            let rules = try filled(provider.revocation.request, known, request, request.allParameters)
            let (token, client) = try tokenInQuestion(
                request, at: .revocation, rules, own: provider.revocation.authentication)
            let isAccess = ledger.accessTokens[token] != nil
            guard isAccess || ledger.refreshTokens[token] == nil || provider.revocation.tokens.contains(.refreshToken)
            else { throw OAuthError("unsupported_token_type", "only access tokens can be revoked") }
            return (token, client)
        }
        let url = endpoints[.revocation] ?? request.url
        var known = values(of: request, for: revokingClient(request))
        known.set(.token, "access_token", try? bearerToken(request, in: placement))
        let rules = try filled(provider.revocation.request, known, request, request.allParameters)
        try request.checkHeaders(rules.headers)
        try TokenRequestBody(request, endpoint: url).parameters.check(ParameterNames(rules), added: rules.parameters)
        guard request.method.rawValue == rules.method.rawValue else {
            throw .invalidRequest("the method must be \(rules.method.rawValue)")
        }
        guard let token = try? bearerToken(request, in: placement) else {
            throw .invalidClient("the access token is not at its place in the request")
        }
        let isRefreshToken = provider.revocation.tokens.contains(.refreshToken) && ledger.refreshTokens[token] != nil
        // A token that has ended is no error (RFC 7009, section 2.2).
        let hasEnded = ledger.grantID(of: token).flatMap { ledger.grants[$0]?.isRevoked } ?? false
        guard isRefreshToken || hasEnded || (try? bearer(request, in: placement)) != nil else {
            throw .invalidClient("the access token is invalid, or the client has not proved its possession")
        }
        return (token, nil)
    }

    /// The introspection endpoint (RFC 7662).
    mutating func introspection(_ request: ServerRequest) throws(OAuthError) -> Reply {
        let rules = provider.introspection
        let (token, client) = try tokenInQuestion(
            request, at: .introspection, rules.request, own: rules.authentication)
        let body = knowledge(of: token)
        guard rules.jwt.isRequired else { return .json(body) }
        let claims: JSONValue = [
            "iss": .string(tokenIssuer), "aud": .string(client.clientID),
            "iat": .number(String(seams.now().secondsSince1970)), "token_introspection": body,
        ]
        let type = "token-introspection+jwt"
        let signed = try makeSignedResponse(claims, type: type, rules.jwt, for: client.clientID)
        return Reply(.ok, type: "application/" + type, signed)
    }

    /// What is known of a token (RFC 7662, section 2.2).
    private func knowledge(of token: String) -> JSONValue {
        if let (access, grant) = ledger.activeAccess(token, at: seams.now()) {
            return [
                "active": true, "client_id": .string(grant.clientID),
                "sub": .string(Identity(grant.user, at: provider).subject),
                "scope": .string(access.scopes.joined(separator: " ")), "token_type": .string(provider.api.scheme),
                "iat": .number(String(access.issued.secondsSince1970)),
                "exp": .number(String(access.end.secondsSince1970)),
            ]
        }
        if let refresh = ledger.refreshTokens[token], !refresh.isUsed, refresh.isValid(at: seams.now()),
            let grant = ledger.grants[refresh.grantID], !grant.isRevoked
        {
            return ["active": true, "client_id": .string(grant.clientID)]
        }
        return ["active": false]
    }

    private mutating func tokenInQuestion(
        _ request: ServerRequest, at endpoint: EndpointName, _ described: ResolvedRequest,
        own: ClientAuthenticationMethod?
    ) throws(OAuthError) -> (token: String, client: SandboxClient) {
        let inPath = endpoint == .revocation ? revokedToken(in: request.url) : nil
        let plain = inPath.flatMap { _ in try? WebURL(String(request.url.text.prefix { $0 != "?" })) }
        guard let url = endpoints[endpoint] ?? plain else { throw .serverError("there is no such endpoint") }
        let sent = try clientRequest(request, TokenRequestBody(request, endpoint: url), described, own: own)
        if let inPath { return (inPath, sent.client) }
        // What stands in its place names the account, and was checked: the latest sign-in is meant.
        if endpoint == .revocation, sent.names.omits("token"), let latest = ledger.accessTokens.latestKey {
            return (latest, sent.client)
        }
        return (try sent.parameters.require("token", sent.names), sent.client)
    }

    private func revokingClient(_ request: ServerRequest) -> SandboxClient? {
        let id = request.allParameters[ParameterNames(provider.revocation.request)["client_id"]]
        return id.flatMap { client($0) } ?? onlyClient
    }

    /// The token in the path, where a descriptor puts it there.
    func revokedToken(in url: WebURL) -> String? {
        guard let template = provider.endpoints.late[.revocation] else { return nil }
        let names = template.references.filter { $0.origin == .token && $0.isAlwaysSecret }.map(\.name)
        guard !names.isEmpty else { return nil }
        let marker = "0carnet-token0"
        var values = provider.sampleValues(seams)
        values.set(onlyClient)
        for name in names { values.set(.token, name, marker) }
        let made = try? values.url(template, trusting: provider.trustedHosts, mayHoldTokens: true)
        guard let text = made?.text, let place = text.firstRange(of: marker) else { return nil }
        let (start, end) = (text[..<place.lowerBound], text[place.upperBound...].prefix { $0 != "?" })
        let path = url.text.prefix { $0 != "?" }
        guard path.hasPrefix(start), path.hasSuffix(end), path.utf8.count > start.utf8.count + end.utf8.count
        else { return nil }
        return PercentEncoding.decode(path.dropFirst(start.count).dropLast(end.count))
    }
}
