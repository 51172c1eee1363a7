public import CarnetFoundation

/// The tokens of one signed-in account, with the data needed to use and refresh them.
public struct TokenSet: Codable, Hashable, Sendable {
    public var accessToken: Secret
    /// The scheme of the `Authorization` header, as the server named it (RFC 6749, section 5.1).
    public var tokenType: String
    public var refreshToken: Secret? {
        didSet { if refreshToken != oldValue { refreshTokenExpiresAt = nil } }
    }
    /// The expiry of the refresh token, before which the user must sign in again; `nil` if neither the server nor its
    /// documentation states it. A host must expect that a refresh token ends sooner.
    public var refreshTokenExpiresAt: Date?
    /// The signed ID token (OpenID Connect Core, section 2), validated when it arrived.
    public var idToken: Secret?
    /// The granted scopes in the server's order; the requested ones if the server named none (RFC 6749, section 5.1).
    public var scopes: [String]
    package var issuedAt: Date
    /// The expiry of the access token; `nil` if the server did not state it.
    public var expiresAt: Date?
    /// The granted `authorization_details` as JSON (RFC 9396, section 7); `nil` if the response has none.
    public var authorizationDetails: String?

    package init(
        accessToken: Secret, tokenType: String, refreshToken: Secret? = nil, refreshTokenExpiresAt: Date? = nil,
        idToken: Secret? = nil, scopes: [String], issuedAt: Date, expiresAt: Date? = nil,
        authorizationDetails: String? = nil
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.refreshToken = refreshToken
        self.refreshTokenExpiresAt = refreshTokenExpiresAt
        self.idToken = idToken
        self.scopes = scopes
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.authorizationDetails = authorizationDetails
    }
}

extension TokenSet {
    package var secrets: [Secret] { [accessToken, refreshToken, idToken].compactMap { $0 } }
}
