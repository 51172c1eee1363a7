public import Foundation

/// The tokens of one signed-in account, with what is needed to use and renew them.
public struct TokenSet: Codable, Hashable, Sendable {
    public var accessToken: Secret
    /// The scheme of the `Authorization` header, as the server named it (RFC 6749, section 5.1).
    public var tokenType: String
    public var refreshToken: Secret?
    /// The compact ID token (OpenID Connect Core, section 2); its claims were validated when it arrived.
    public var idToken: Secret?
    /// The scopes that were granted, in the server's order; those requested if the server named none (RFC 6749, 5.1).
    public var scopes: [String]
    public var issuedAt: Date
    /// When the access token ends, or `nil` if the server did not say.
    public var expiresAt: Date?
    /// What was granted in detail, as JSON text (RFC 9396, section 7); `nil` if the server did not say.
    public var authorizationDetails: String?

    public init(
        accessToken: Secret,
        tokenType: String,
        refreshToken: Secret? = nil,
        idToken: Secret? = nil,
        scopes: [String],
        issuedAt: Date,
        expiresAt: Date? = nil,
        authorizationDetails: String? = nil
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.scopes = scopes
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.authorizationDetails = authorizationDetails
    }
}
