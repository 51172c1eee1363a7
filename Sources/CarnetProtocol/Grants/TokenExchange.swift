package import CarnetDescriptors
package import CarnetFoundation

/// The exchange of one token for another: for another audience, for fewer scopes, or on behalf of somebody (RFC 8693).
public struct TokenExchange: Sendable {
    /// The type of a token (RFC 8693, section 3).
    public struct TokenType: Hashable, Sendable {
        package let uri: String

        public init(_ uri: String) {
            self.uri = uri
        }

        public static let accessToken = TokenType("urn:ietf:params:oauth:token-type:access_token")
        public static let refreshToken = TokenType("urn:ietf:params:oauth:token-type:refresh_token")
        public static let idToken = TokenType("urn:ietf:params:oauth:token-type:id_token")
        public static let jwt = TokenType("urn:ietf:params:oauth:token-type:jwt")
    }

    /// A token with its type.
    public struct TypedToken: Sendable {
        package var token: Secret
        package var type: TokenType

        public init(_ token: Secret, _ type: TokenType = .accessToken) {
            self.token = token
            self.type = type
        }
    }

    /// The token of the user or client that the new token acts for.
    package var subject: TypedToken
    /// The token of the acting party, if it is another one.
    package var actor: TypedToken?
    /// The services that the token is for, by their names at the server.
    package var audience: [String]
    /// The services that the token is for, by their URIs (RFC 8707).
    package var resource: [String]
    package var scopes: [String]
    package var requestedType: TokenType?

    public init(
        _ subject: TypedToken,
        actor: TypedToken? = nil,
        audience: [String] = [],
        resource: [String] = [],
        scopes: [String] = [],
        requestedType: TokenType? = nil
    ) {
        self.subject = subject
        self.actor = actor
        self.audience = audience
        self.resource = resource
        self.scopes = scopes
        self.requestedType = requestedType
    }
}

extension TokenExchange {
    /// The request (RFC 8693, section 2.1).
    ///
    /// - Throws: `OAuthError` at step `tokenExchange`.
    package func request(in context: RequestContext<FilledProvider>) throws(OAuthError) -> PreparedRequest {
        let provider = context.provider
        let grant = provider.tokenExchange
        var parameters = RequestParameters(.tokenExchange, .tokenExchange, grant.request)
        try parameters.addGrantType(grant.grantType)
        try parameters.add(.resource, each: try ResourceIndicator.checked(resource, at: .tokenExchange))
        try parameters.add(.audience, each: audience)
        if !scopes.isEmpty { try parameters.add(.scope, try provider.scopes.joined(scopes)) }
        if let requestedType { try parameters.add(.requestedTokenType, requestedType.uri) }
        try parameters.add(.subjectToken, subject.token)
        try parameters.add(.subjectTokenType, subject.type.uri)
        if let actor {
            try parameters.add(.actorToken, actor.token)
            try parameters.add(.actorTokenType, actor.type.uri)
        }
        return try TokenRequest.send(parameters, in: context, rules: grant.request)
    }

    /// Validates the response (RFC 8693, section 2.2).
    ///
    /// - Returns: The new token, and its type.
    /// - Throws: `OAuthError` at step `tokenExchange`.
    package func validate(
        _ response: IncomingResponse, to request: PreparedRequest, from provider: FilledProvider, now: Date
    ) throws(OAuthError) -> (tokens: TokenSet, type: TokenType) {
        let tokenResponse = try TokenResponse(validating: response, to: request, from: provider)
        guard let type = tokenResponse.issuedTokenType ?? requestedType?.uri, !type.isEmpty
        else {
            throw OAuthError(
                .tokenExchange, .missingField, "the response has no issued_token_type",
                descriptorKey: "token.response.root", status: 200)
        }
        if let requestedType, requestedType.uri != type {
            throw OAuthError(
                .tokenExchange, .unsupportedTokenType,
                "the token has the type \"\(request.quotable(type))\" instead of the requested one", status: 200)
        }
        return (TokenSet(tokenResponse, requested: scopes, now: now), TokenType(type))
    }
}
