package import CarnetDescriptors
package import CarnetFoundation

/// A validated response of a token endpoint (RFC 6749, section 5.1). Only the ID token is not validated yet.
package struct TokenResponse: Sendable {
    package let accessToken: Secret
    package let tokenType: String
    /// The expiry of the access token; `nil` if the server did not say.
    package let expiry: TokenExpiry?
    package let refreshToken: Secret?
    /// The expiry of the refresh token, or of the one that was sent if this response has none.
    let refreshTokenExpiry: TokenExpiry?
    /// Seconds that a new refresh token lives, if the response does not say it.
    let documentedRefreshTokenLifetime: Double?
    package internal(set) var idToken: Secret?
    /// The granted scopes; `nil` if the server named none, which means the requested ones.
    package let scopes: [String]?
    /// The values that the descriptor captures from the response, by reference, e.g. `token.instance_url`.
    package let values: [String: ConnectionValue]
    /// The granted `authorization_details` (RFC 9396, section 7).
    package let authorizationDetails: [JSONValue]?
    /// The further token sets of the response, by name.
    package let tokenSets: [Named<TokenResponse>]
    /// The type of an exchanged token (RFC 8693, section 2.2.1).
    let issuedTokenType: String?
    /// The members that the descriptor maps to claims of a profile, and no others.
    let profile: JSONValue
}

extension TokenResponse {
    /// Validates the response to an exchange or a refresh: the status first, then the error, then the fields.
    ///
    /// - Throws: `OAuthError` at the request's step.
    ///
    /// - Parameter old: The tokens that a refresh began with.
    package init(
        validating response: IncomingResponse, to request: PreparedRequest, from provider: FilledProvider,
        refreshing old: TokenSet? = nil
    ) throws(OAuthError) {
        let rules = provider.shared.response(of: request.step.grant ?? .token)
        let kept = provider.refresh.result == .expiry ? old : nil
        try self.init(validating: response, to: request, from: provider, rules: rules, keeping: kept)
    }

    /// Validates the response to a request with its own rules.
    ///
    /// - Parameter kept: Tokens that stay, where the response has none.
    init(
        validating response: IncomingResponse, to request: PreparedRequest, from provider: FilledProvider,
        rules: ResponseRules, keeping kept: TokenSet? = nil
    ) throws(OAuthError) {
        let step = request.step
        let (body, fields) = try Self.fields(of: response, to: request, rules: rules)
        let accessToken: Secret
        let tokenType: String?
        if let kept {
            (accessToken, tokenType) = (kept.accessToken, kept.tokenType)
        } else {
            accessToken = try fields.accessToken(rules.fields.accessToken)
            tokenType = try fields.string("token_type", rules.fields.tokenType) ?? rules.defaultTokenType
        }
        guard let tokenType else { throw fields.missing("token_type") }
        // RFC 9449, section 5: a Bearer token in response to a proof is not bound to the key.
        let accepted =
            request.isSenderConstrained ? ["DPoP"] : ["Bearer", provider.api.scheme] + rules.acceptedTokenTypes
        guard accepted.contains(where: { $0.lowercased() == tokenType.lowercased() }) else {
            throw OAuthError(
                step, .unsupportedTokenType,
                "the token has the type \"\(request.quotable(tokenType, limit: 40))\", which this client cannot use",
                descriptorKey: request.isSenderConstrained
                    ? "client.dpop_bound_access_tokens" : "token.response.accept_token_types", status: response.status)
        }
        self.accessToken = accessToken
        self.tokenType = tokenType
        expiry =
            try fields.expiry("expires_in", rules.fields.expiresIn, rules.expiry)
            ?? (provider.refresh.expiryFrom == .jwt ? TokenExpiry(claimOf: accessToken) : nil)
            ?? rules.defaultExpiresIn.map { .after(Double($0.count)) }
        let keepsFirst = step == .refresh && provider.refresh.rotation == .none
        refreshToken = keepsFirst ? nil : try fields.token("refresh_token", rules.fields.refreshToken)
        refreshTokenExpiry = fields.refreshTokenExpiry(rules.fields.refreshTokenExpiresIn, rules.expiry)
        documentedRefreshTokenLifetime = rules.defaultRefreshTokenExpiresIn.map { Double($0.count) }
        // Some servers say that there is none.
        idToken =
            provider.idToken.none != nil || fields.isFalse(rules.fields.idToken)
            ? nil : try fields.token("id_token", rules.fields.idToken, limit: ReceivedLimit.encryptedToken)
        scopes = try fields.scopes(
            "scope", rules.fields.scope, separator: rules.scopeSeparator ?? provider.scopes.separator)
        values = try rules.capture.values(
            in: body, as: .token, step: step, key: "token.response.capture", isRepeated: step == .refresh)
        authorizationDetails = try fields.authorizationDetails(of: body)
        issuedTokenType = body[rules.root]?["issued_token_type"]?.string
        tokenSets = try Self.tokenSets(of: response, in: body, to: request, from: provider, rules: rules)
        guard provider.profile.source == .tokenResponse else {
            profile = [:]
            return
        }
        let secrets =
            [accessToken, refreshToken, idToken].compactMap { $0 }
            + tokenSets.flatMap { [$0.value.accessToken, $0.value.refreshToken].compactMap { $0 } } + request.secrets
        profile = try fields.keptProfile(of: body, for: provider, hiding: secrets)
    }

    /// The further token sets that the response to a code has. One that was not granted is not there.
    private static func tokenSets(
        of response: IncomingResponse, in body: JSONValue, to request: PreparedRequest, from provider: FilledProvider,
        rules: ResponseRules
    ) throws(OAuthError) -> [Named<TokenResponse>] {
        guard request.step == .tokenRequest else { return [] }
        var sets: [Named<TokenResponse>] = []
        for set in rules.tokenSets.items {
            guard var own = rules.reading(set.name), let root = body[own.root],
                root.first(of: own.fields.accessToken.pointers)?.string?.isEmpty == false
            else { continue }
            own.dropTokenSets()
            var tokens = try TokenResponse(validating: response, to: request, from: provider, rules: own)
            tokens.idToken = nil
            sets.append(Named(set.name, tokens))
        }
        return sets
    }

    /// The refresh token of an otherwise unusable response to a refresh: the old one may be invalid by now.
    ///
    /// - Returns: `nil` if the response is invalid or has no refresh token.
    package static func refreshToken(
        in response: IncomingResponse, to request: PreparedRequest, from provider: FilledProvider
    ) -> Secret? {
        let rules = provider.refreshResponse
        guard provider.refresh.rotation != .none,
            let (_, fields) = try? fields(of: response, to: request, rules: rules)
        else { return nil }
        return try? fields.token("refresh_token", rules.fields.refreshToken)
    }

    /// The fields of a successful response.
    private static func fields(
        of response: IncomingResponse, to request: PreparedRequest, rules: ResponseRules
    ) throws(OAuthError) -> (body: JSONValue, fields: TokenFieldReader) {
        let step = request.step
        // RFC 6749, section 5.1: success is 200, and servers send 201. An error status is never read as tokens.
        guard rules.success.accepts(status: response.status) else {
            throw OAuthError.status(
                response, step, key: request.descriptorKey, fields: rules.errors, format: rules.format,
                hiding: request.secrets)
        }
        let body = try response.value(rules.format, step, key: "token.response.format")
        let serverError = body.serverError(
            rules.errors, hiding: request.secrets + ResponsePlaces(rules).secrets(in: body))
        let isSuccess = rules.success.isSuccess(body) ?? (serverError == nil)
        guard isSuccess else {
            throw OAuthError(
                step, .serverError, "the server refused the request", descriptorKey: request.descriptorKey,
                status: response.status, server: serverError)
        }
        let signsOfError = body.signsOfError
        let said = signsOfError.isEmpty ? nil : response.words(hiding: request.secrets)
        guard let root = body[rules.root], root.object != nil else {
            if !signsOfError.isEmpty {
                throw TokenFieldReader.unnamedError(signsOfError, said, step, status: response.status)
            }
            throw OAuthError(
                step, .missingField, "the response has no object where the fields should be",
                descriptorKey: "token.response.root", status: response.status)
        }
        return (
            body,
            TokenFieldReader(
                root: root, request: request, step: step, status: response.status, signsOfError: signsOfError,
                said: said)
        )
    }
}

extension TokenResponse {
    /// Decrypts the ID token (OpenID Connect Core, section 16.14). The signed token is validated, stored and sent as a
    /// hint (section 3.1.2.1). The authorization server of a resource may pass on the response of another one: an ID token
    /// that nobody requested there is dropped, and names nobody.
    ///
    /// - Parameter scopes: Those of the request.
    /// - Throws: `OAuthError` if the encryption differs from the registered one.
    package mutating func decryptIDToken(
        for registration: ClientRegistration, from provider: FilledProvider, requested scopes: [String]
    ) throws(OAuthError) {
        if provider.resource != nil, !scopes.contains("openid") { idToken = nil }
        guard let token = idToken else { return }
        idToken = try JSONWebEncryption.signedToken(
            in: token, .idToken, encryptedAs: provider.idToken.encryption, for: registration)
    }
}

extension TokenExpiry {
    /// The expiry in an access token, if the token is a JWT.
    ///
    /// The signature is not checked: a wrong expiry only makes a refresh early or late.
    init?(claimOf accessToken: Secret) {
        guard let end = JSONValue(claimsOf: accessToken.reveal())?["exp"]?.time else { return nil }
        self = .at(end)
    }
}
