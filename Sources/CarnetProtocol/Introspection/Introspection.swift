package import CarnetDescriptors
public import CarnetFoundation

/// The state of a token at its server (RFC 7662, section 2.2).
public struct Introspection: Sendable {
    /// Whether the token is active, according to the server and to the token's times.
    public let isActive: Bool
    /// All members of the response for an active token; empty for another.
    public let claims: JSONObject
    public let expiresAt: Date?
    package let issuedAt: Date?
    package let notBefore: Date?
    /// The audiences of the token.
    package let audience: [String]

    package var subject: String? { claims[stated: "sub"]?.string }
    package var clientID: String? { claims[stated: "client_id"]?.string }
    package var username: String? { claims[stated: "username"]?.string }
    package var tokenType: String? { claims["token_type"]?.string }
    package var issuer: String? { claims["iss"]?.string }
    /// `nil` if the server does not say.
    package var scopes: [String]? { claims["scope"]?.string?.split(separator: " ").map { String($0) } }
    /// The key that the token is bound to (RFC 7800, section 3.1).
    package var confirmation: JSONValue? { claims["cnf"] }
}

extension Introspection {
    /// The request.
    ///
    /// - Parameter hint: The type of the token: `access_token` or `refresh_token`.
    /// - Throws: `OAuthError` at step `introspection`.
    package static func request(
        _ token: Secret, hint: String? = nil, in context: RequestContext<FilledProvider>
    ) throws(OAuthError) -> PreparedRequest {
        let provider = context.provider
        var parameters = RequestParameters(.introspection, .introspection, provider.introspection.request)
        try parameters.add(.token, token)
        if let hint { try parameters.add(.tokenTypeHint, hint) }
        return try TokenRequest.send(
            parameters, in: context, rules: provider.introspection.request,
            method: provider.introspection.authentication,
            accept: provider.introspection.jwt.isRequired ? Self.mediaType : "application/json")
    }

    private static let mediaType = "application/token-introspection+jwt"

    /// Whether a response is a JWT, so that its validation needs the provider's keys (RFC 9701, section 5).
    package static func isSigned(_ response: IncomingResponse) -> Bool {
        response.isSuccess && response.mediaType == mediaType
    }

    /// Validates the response. An error response does not mean that the token is inactive (RFC 7662, section 2.3).
    ///
    /// - Parameter verification: The provider's keys, if `isSigned(_:)`.
    /// - Throws: `OAuthError` at step `introspection`.
    package init(
        validating response: IncomingResponse, to request: PreparedRequest, from provider: FilledProvider, now: Date,
        verifyingBy verification: ResponseVerification? = nil
    ) throws(OAuthError) {
        try response.requireSuccess(
            .introspection, key: request.descriptorKey, fields: provider.token.response.errors, hiding: request.secrets)
        let body =
            Self.isSigned(response)
            ? try Self.body(ofSigned: response, from: provider, by: verification)
            : try Self.plainBody(of: response, to: request, from: provider)
        guard let active = body["active"] else {
            throw OAuthError(
                .introspection, .missingField, "the response does not say whether the token is active",
                descriptorKey: request.descriptorKey, status: 200)
        }
        guard let isActive = active.bool else { throw Self.wrongType("active", "true or false") }
        guard isActive else {
            (self.isActive, claims, expiresAt, issuedAt, notBefore, audience) = (false, JSONObject(), nil, nil, nil, [])
            return
        }
        for name in ["sub", "client_id", "username", "token_type", "iss", "scope"] {
            guard body[name].map({ $0.string != nil || $0.isNull }) ?? true else {
                throw Self.wrongType(name, "a string")
            }
        }
        if let issuer = body["iss"]?.string, provider.issuer != nil, !provider.shared.acceptsIssuer(inCallback: issuer)
        {
            throw OAuthError(
                .introspection, .issuerMismatch, "the token is of the issuer \"\(request.quotable(issuer))\"",
                descriptorKey: "issuer", status: 200)
        }
        let end = try Self.time("exp", in: body)
        let start = try Self.time("nbf", in: body)
        let skew = provider.clockSkew
        self.isActive =
            end.map { now < $0.addingTimeInterval(skew) } ?? true
            && start.map { $0 <= now.addingTimeInterval(skew) } ?? true
        (expiresAt, notBefore) = (end, start)
        issuedAt = try Self.time("iat", in: body)
        audience = try Self.audience(in: body)
        claims = body.object ?? JSONObject()
    }

    private static func body(
        ofSigned response: IncomingResponse, from provider: FilledProvider, by verification: ResponseVerification?
    ) throws(OAuthError) -> JSONValue {
        guard let verification, let text = String(validating: response.body, as: UTF8.self) else {
            throw OAuthError(
                .introspection, .malformedToken, "the keys to validate the signed response are missing",
                descriptorKey: "introspection.jwt")
        }
        let signed = try SignedResponse(
            Secret(text), .introspection, expecting: .init(from: provider, provider.introspection.jwt), by: verification
        )
        guard let body = signed.claims["token_introspection"], body.object != nil else {
            throw OAuthError(
                .introspection, .missingField, "the signed response has no object token_introspection",
                descriptorKey: "introspection.jwt", status: 200)
        }
        return body
    }

    private static func plainBody(
        of response: IncomingResponse, to request: PreparedRequest, from provider: FilledProvider
    ) throws(OAuthError) -> JSONValue {
        guard !provider.introspection.jwt.isRequired else {
            throw OAuthError(
                .introspection, .unexpectedContentType,
                "the response is not signed, but the descriptor requires a signature",
                descriptorKey: "introspection.jwt", status: 200)
        }
        return try response.json(.introspection, key: request.descriptorKey)
    }

    /// A time in seconds. Some servers send fractions.
    private static func time(_ name: String, in body: JSONValue) throws(OAuthError) -> Date? {
        guard let value = body[name], !value.isNull else { return nil }
        guard let time = value.time else { throw wrongType(name, "a time in seconds") }
        return time
    }

    private static func audience(in body: JSONValue) throws(OAuthError) -> [String] {
        guard let value = body["aud"], !value.isNull else { return [] }
        guard let names = value.strings else { throw wrongType("aud", "a string or a list of strings") }
        return names
    }

    private static func wrongType(_ name: String, _ expected: String) -> OAuthError {
        .wrongType(.introspection, name, expected, key: "endpoints.introspection", status: 200)
    }
}
