import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension AuthorizationServer {
    /// The token endpoint (RFC 6749, section 3.2), and that for refreshing where a descriptor has one of its own.
    mutating func token(_ request: ServerRequest, at endpoint: EndpointName) -> Reply {
        tokenReply(request, at: endpoint).offering(nonce: dpopNonce)
    }

    private mutating func tokenReply(_ request: ServerRequest, at endpoint: EndpointName) -> Reply {
        if has(.token500) {
            return Reply(.internalServerError, [.contentType: "text/plain"], body: Array("Internal Server Error".utf8))
        }
        if has(.tokenHTML) { return .html("Welcome", "<p>Please sign in to the hotel's network.</p>") }
        do throws(OAuthError) {
            guard let url = endpoints[endpoint] else { throw .serverError("there is no such endpoint") }
            let received = try TokenRequestBody(request, endpoint: url)
            let thumbprint = try tokenProof(request)
            if let grant = extensionGrant(in: received.parameters, of: request, at: endpoint) {
                return reply(grant, request, received, provedBy: thumbprint)
            }
            let isRefresh = try asksForRefresh(received.parameters, at: endpoint)
            var sent = try clientRequest(
                request, received, isRefresh ? provider.refresh.request : provider.token.request,
                mayRepeat: ["resource"], own: isRefresh ? provider.refresh.authentication : nil)
            sent.keyThumbprint = thumbprint
            let body = if isRefresh { try refresh(sent, request) } else { try exchange(sent, request) }
            return success(body, by: isRefresh ? provider.refreshResponse : provider.token.response)
        } catch {
            return errorReply(error)
        }
    }

    private mutating func reply(
        _ grant: ExtensionGrant, _ request: ServerRequest, _ received: TokenRequestBody, provedBy thumbprint: String?
    ) -> Reply {
        let rules = grant.response(of: provider)
        do throws(OAuthError) {
            var sent = try clientRequest(
                request, received, grant.rules(of: provider).request, mayRepeat: ["resource", "audience"])
            sent.keyThumbprint = thumbprint
            let body =
                switch grant {
                case .clientCredentials: try clientCredentials(sent)
                case .tokenExchange: try exchangedToken(sent)
                case .deviceCode: try deviceTokens(sent)
                case .jwtBearer: try assertedToken(sent)
                }
            return success(body, by: rules)
        } catch {
            return errorReply(error, by: rules)
        }
    }

    func success(_ body: JSONValue, by rules: ResponseRules) -> Reply {
        .value(body, as: rules.format, status: rules.success.status)
    }

    /// The requested grant, by its name, or by the exchanged value if the grant type is omitted.
    private func asksForRefresh(
        _ received: ReceivedParameters, at endpoint: EndpointName
    ) throws(OAuthError) -> Bool {
        let tokenNames = ParameterNames(provider.token.request)
        let refreshNames = ParameterNames(provider.refresh.request)
        let refreshesHere = endpoint == .refresh || [nil, endpoints[.token]].contains(endpoints[.refresh])
        let codeGrant = provider.token.request.grantType(
            tokenNames, or: provider.token.grantType ?? "authorization_code")
        let refreshGrant = provider.refresh.request.grantType(
            refreshNames, or: provider.refresh.grantType ?? "refresh_token")
        let sent = received[tokenNames["grant_type"]] ?? received[refreshNames["grant_type"]]
        let isRefresh: Bool
        if codeGrant != refreshGrant, let sent, sent == refreshGrant {
            isRefresh = true
        } else if codeGrant != refreshGrant, let sent, sent == codeGrant {
            isRefresh = false
        } else if sent == nil || codeGrant == refreshGrant {
            isRefresh = received[tokenNames["code"]] == nil && received[refreshNames["refresh_token"]] != nil
        } else {
            throw OAuthError("unsupported_grant_type", "the grant type \"\(sent ?? "")\" is not supported")
        }
        guard isRefresh ? refreshesHere : endpoint == .token else {
            throw OAuthError("unsupported_grant_type", "this endpoint does not support this grant")
        }
        let expected = isRefresh ? refreshGrant : codeGrant
        if expected != nil, sent == nil {
            throw .invalidRequest("the parameter \((isRefresh ? refreshNames : tokenNames)["grant_type"]) is missing")
        }
        return isRefresh
    }

    /// The authorization code grant (RFC 6749, section 4.1.3; RFC 7636, section 4.6).
    private mutating func exchange(_ sent: ClientRequest, _ request: ServerRequest) throws(OAuthError) -> JSONValue {
        let (received, names) = (sent.parameters, sent.names)
        let found = sentCode(in: received, names, request)
        let text = if let found { found } else { try received.require("code", names) }
        guard let code = ledger.codes[text], let grant = ledger.grants[code.grantID],
            grant.clientID.isSameBytes(as: sent.client.clientID)
        else { throw .invalidGrant("there is no such authorization code for this client") }
        guard !code.isUsed else {
            // Somebody else has it too, so what was issued for it may be theirs (RFC 6749, section 4.1.2).
            ledger.revoke(grant: code.grantID)
            throw .invalidGrant("the authorization code was used before; all tokens from it are revoked")
        }
        ledger.codes[text]?.isUsed = true
        guard code.end > seams.now() else { throw .invalidGrant("the authorization code has expired") }
        if !names.omits("redirect_uri") {
            let redirectURI = try received.require("redirect_uri", names)
            guard redirectURI.isSameBytes(as: code.redirectURI) else {
                throw .invalidGrant("the redirect URI differs from the one of the authorization request")
            }
        }
        try checkVerifier(received[names["code_verifier"]], against: code.challenge)
        try checkResources(received, names, of: grant)
        guard [nil, sent.keyThumbprint].contains(grant.keyThumbprint) else {
            throw .invalidProof("the proof was made with another key than the code's")
        }
        ledger.grants[code.grantID]?.keyThumbprint = sent.keyThumbprint
        return try issue(code.grantID, grant)
    }

    /// The code; where the parameter is left out, it is in another one, or in a header.
    func sentCode(in received: ReceivedParameters, _ names: ParameterNames, _ request: ServerRequest) -> String? {
        guard names.omits("code") else { return received[names["code"]] }
        let sent = received.pairs.map(\.value) + request.possibleCredentials
        if let found = ledger.codes.keys.first(where: { code in sent.contains { $0.contains(code) } }) { return found }
        // If a later step has the code, the token is the application's own, and the latest sign-in is meant.
        return provider.exchange.contains { $0.value.takesCode } ? ledger.codes.latestKey : nil
    }

    /// The refresh token; where the parameter is left out, it is in another one, or in a header.
    func sentRefreshToken(
        in received: ReceivedParameters, _ names: ParameterNames, _ request: ServerRequest
    ) -> String? {
        guard names.omits("refresh_token") else { return received[names["refresh_token"]] }
        let sent = received.pairs.map(\.value) + request.head.headerFields.map(\.value)
        return ledger.refreshTokens.keys.first { token in sent.contains { $0.contains(token) } }
    }

    private func checkVerifier(_ verifier: String?, against challenge: String?) throws(OAuthError) {
        guard let challenge else {
            guard verifier == nil else {
                throw .invalidGrant("there is a code verifier, but the authorization request had no code challenge")
            }
            return
        }
        guard let verifier else { throw .invalidGrant("the code verifier is missing") }
        guard (43...128).contains(verifier.utf8.count), verifier.utf8.allSatisfy(PercentEncoding.isUnreserved) else {
            throw .invalidGrant("the code verifier is not 43 to 128 unreserved characters (RFC 7636, section 4.1)")
        }
        let hash = SHA256.hash(data: Array(verifier.utf8))
        let expected =
            switch provider.authorization.pkce.encoding ?? .base64url {
            case .base64url: Base64URL.encode(hash)
            case .hexadecimal: hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            }
        guard expected.isSameBytes(as: challenge) else {
            throw .invalidGrant("the code verifier does not match the code challenge")
        }
    }

    /// The refresh token grant (RFC 6749, section 6).
    ///
    /// Where the response brings a new refresh token, the old one is used up, and using it again ends the whole family
    /// (RFC 9700, section 4.14.2).
    private mutating func refresh(_ sent: ClientRequest, _ request: ServerRequest) throws(OAuthError) -> JSONValue {
        let found = sentRefreshToken(in: sent.parameters, sent.names, request)
        let text = if let found { found } else { try sent.parameters.require("refresh_token", sent.names) }
        guard let token = refreshable(text), let grant = ledger.grants[token.grantID],
            grant.clientID.isSameBytes(as: sent.client.clientID)
        else { throw .invalidGrant("there is no such refresh token for this client") }
        guard token.isValid(at: seams.now()) else { throw .invalidGrant("the refresh token has expired") }
        if has(.refreshRevoked) { ledger.revoke(grant: token.grantID) }
        guard !token.isUsed else {
            ledger.revoke(grant: token.grantID)
            throw .invalidGrant("the refresh token was used before; all tokens of its family are revoked")
        }
        guard ledger.grants[token.grantID]?.isRevoked == false else {
            throw .invalidGrant("the refresh token is revoked")
        }
        guard grant.keyThumbprint == sent.keyThumbprint else {
            throw .invalidProof("the proof was made with another key than the tokens'")
        }
        try checkResources(sent.parameters, sent.names, of: grant)
        var scopes = grant.scopes
        let (name, rules) = (sent.names["scope"], provider.refresh.request)
        // A scope that the descriptor states is one that the provider demands, and the name may be another parameter's.
        let isStated =
            rules.parameters.contains { $0.name == name } || rules.late.parameters.contains { $0.name == name }
            || rules.rename.items.contains { $0.value == name && $0.name != "scope" }
        if !isStated, let narrowed = sent.parameters[name] {
            scopes = narrowed.split(separator: provider.scopes.separator).map { String($0) }
            for scope in scopes where !grant.scopes.contains(scope) {
                throw .invalidScope("the scope \"\(scope)\" was not granted")
            }
        }
        if provider.refresh.result == .expiry { return prolong(token.grantID, of: grant) }
        let body = try issue(token.grantID, grant, scopes: scopes, refreshing: text)
        ledger.grants[token.grantID]?.isRefreshed = true
        return body
    }

    /// The tokens of a grant stay, and are valid for longer.
    private mutating func prolong(_ grantID: String, of grant: Grant) -> JSONValue {
        let shape = responseShape(isRefresh: true, for: grant)
        let now = seams.now()
        for token in ledger.accessTokens.keys where ledger.accessTokens[token]?.grantID == grantID {
            ledger.accessTokens[token]?.end = now.addingTimeInterval(Double(shape.lifetime))
        }
        var body = shape.base
        if !shape.isSample, let place = shape.place(of: \.expiresIn) { body.set(shape.expiry(at: now), at: place) }
        return body
    }

    /// What a string to be exchanged stands for: a refresh token, or an access token that is still good.
    private func refreshable(_ text: String) -> RefreshToken? {
        switch provider.refresh.using {
        case .refreshToken: ledger.refreshTokens[text]
        case .accessToken: ledger.activeAccess(text, at: seams.now()).map { RefreshToken(grantID: $0.token.grantID) }
        }
    }

    /// Makes the tokens of a response and remembers them.
    ///
    /// - Parameters:
    ///   - scopes: Those of the grant if `nil`.
    ///   - old: The refresh token that they are for.
    mutating func issue(
        _ grantID: String, _ grant: Grant, scopes: [String]? = nil, refreshing old: String? = nil
    ) throws(OAuthError) -> JSONValue {
        let (scopes, isRefresh) = (scopes ?? grant.scopes, old != nil)
        let grant = try constrained(withSession(grant, grantID), grantID, isRefresh: isRefresh)
        let shape = responseShape(isRefresh: isRefresh, for: grant)
        let now = seams.now()
        var accessToken = try makeAccessToken(
            grant, scopes: scopes, lifetime: shape.lifetime, at: now, like: provider.sampleToken(\.accessToken) ?? "")
        let stays = isRefresh && provider.refresh.rotation == .none
        let refreshToken = stays ? nil : makeRefreshToken(grantID, grant, in: shape, at: now)
        if let old {
            if refreshToken != nil {
                ledger.refreshTokens[old]?.isUsed = true
            } else if let end = shape.endOfRefreshToken(at: now, isNew: false) {
                ledger.refreshTokens[old]?.end = end
            }
        }
        var idToken: String?
        // A sample that was recorded without the scope says that the token comes without it.
        let isAlwaysIssued = shape.isSample && !(provider.scopes.defaults + provider.scopes.required).contains("openid")
        let isIssued = grant.scopes.contains("openid") || isAlwaysIssued || shape.isIDTokenAccessToken
        if provider.idToken.none != nil {
            // A client that takes it for an ID token fails. One that only keeps it finds the claims of the sample in it, or
            // its own example.
            let isJWT = provider.sampleClaims(of: \.idToken) != nil
            let kept = provider.token.response.capture.items.first { capture in
                shape.place(of: \.idToken).map(capture.value.pointers.pointers.contains) ?? false
            }
            idToken =
                isJWT
                ? JSONWebToken.withoutSignature(
                    try makeIDToken(grant, accessToken: accessToken, isRefresh: isRefresh, at: now))
                : shape.isIDTokenAccessToken ? accessToken : kept?.value.example ?? "not.an.id-token"
            ledger.grants[grantID]?.idToken = idToken
        } else if isIssued, issuesIDTokens, shape.has(\.idToken), !has(.missingIDToken) {
            idToken = try makeIDToken(
                grant, accessToken: accessToken, isRefresh: isRefresh, isAccessToken: shape.isIDTokenAccessToken,
                at: now)
            if provider.idToken.encryption == nil { ledger.grants[grantID]?.idToken = idToken }
        }
        if shape.isIDTokenAccessToken, let idToken { accessToken = idToken }
        let isExpired = has(.expiredAccessToken) && !isRefresh
        ledger.add(accessToken, of: grantID, scopes: scopes, at: now, lifetime: isExpired ? 0 : shape.lifetime)
        var body = shape.body(
            accessToken, refreshToken: refreshToken,
            idToken: has(.unsignedIDToken) ? idToken.map(JSONWebToken.withoutSignature) : idToken, scopes: scopes,
            namesScopes: provider.scopes.grantedFrom == .tokenResponse
                && scopes.count != (isRefresh ? grant.scopes : grant.requestedScopes).count,
            omitsScopes: provider.scopes.grantedFrom != .tokenResponse && !shape.isSample,
            separator: shape.rules.scopeSeparator ?? provider.scopes.separator, at: now)
        if ledger.grants[grantID]?.keyThumbprint != nil, let place = shape.place(of: \.tokenType) {
            body.set("DPoP", at: place)
        }
        if let details = grant.details {
            body.set(details, at: JSONPointer(tokens: shape.rules.root.tokens + ["authorization_details"]))
        }
        if !isRefresh || provider.refresh.response != nil {
            // A response that is read by other rules may have no sample of its own.
            let own = [shape.rules, provider.token.response].map { $0.capture.items.map(\.value.pointers.pointers) }
            let isSample = isRefresh ? provider.samples.refresh != nil : shape.isSample && own[0] == own[1]
            body.add(shape.rules.capture, .token, of: Person(of: grant, at: provider), isSample: isSample)
        }
        if !isRefresh { try addTokenSets(to: &body, of: grant) }
        return body
    }

    /// - Returns: `nil` if the grant gets none, or the response has none.
    mutating func makeRefreshToken(
        _ grantID: String, _ grant: Grant, in shape: TokenResponseShape, at now: Date
    ) -> String? {
        guard grant.isOffline, shape.has(\.refreshToken), provider.refresh.using == .refreshToken else { return nil }
        let text = "1//+&=%41 " + seams.randomText()
        ledger.refreshTokens[text] = RefreshToken(grantID: grantID, end: shape.endOfRefreshToken(at: now, isNew: true))
        ledger.grants[grantID]?.refreshToken = text
        return text
    }

    /// Adds the further token sets of a sign-in, each a grant of its own. Null in the sample says that this user has none.
    private mutating func addTokenSets(to body: inout JSONValue, of grant: Grant) throws(OAuthError) {
        for set in provider.token.response.tokenSets.items where grant.tokenSet == nil && body[set.value] != .null {
            var other = grant
            other.tokenSet = set.name
            let id = seams.randomText()
            ledger.grants[id] = other
            let response = try issue(id, other)
            if let part = response[set.value] { body.set(part, at: set.value) }
        }
    }

    private func responseShape(isRefresh: Bool, for grant: Grant) -> TokenResponseShape {
        var rules =
            isRefresh
            ? provider.refreshResponse
            : grant.extensionGrant.map { $0.response(of: provider) } ?? provider.token.response
        if !isRefresh || provider.refresh.response == nil {
            rules = grant.tokenSet.flatMap { provider.token.response.reading($0) } ?? rules
        }
        let token = provider.samples.token?.read(as: provider.token.response.format)
        let refresh = isRefresh ? provider.samples.refresh?.read(as: provider.refreshResponse.format) : nil
        let sample = refresh ?? token
        let holdsProfile = provider.profile.source == .tokenResponse && !(isRefresh && provider.samples.refresh != nil)
        return TokenResponseShape(
            base: holdsProfile ? Identity(grant.user, at: provider).profile : sample ?? .object(JSONObject()),
            // A token set that the sample does not have is made up as a whole.
            isSample: sample?[rules.root] != nil,
            rules: rules
        )
    }
}
