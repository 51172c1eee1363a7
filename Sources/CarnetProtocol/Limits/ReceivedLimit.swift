/// The maximum lengths of received values, in bytes of UTF-8. A longer value is rejected before it is processed.
/// `Docs/security.md` has the table.
package enum ReceivedLimit {
    /// An access or refresh token, and a signed JWT.
    package static let token = 64 * 1024
    /// An encrypted token: base64url makes the signed token in it a third longer.
    package static let encryptedToken = token * 3 / 2
    package static let code = 8 * 1024
    package static let deviceCode = 4 * 1024
    /// The scopes of a token response.
    package static let scope = 64 * 1024
    /// The `authorization_details` of a token response (RFC 9396, section 7).
    package static let authorizationDetails = 64 * 1024
    /// The profile that is kept from a token response.
    package static let keptProfile = 64 * 1024
    /// A value that a descriptor keeps from a callback or a response.
    package static let keptValue = 8 * 1024
    /// A member of a client registration.
    package static let registrationMember = 8 * 1024
    /// A `WWW-Authenticate` field; the rest is ignored.
    package static let challenge = 4 * 1024
    /// A media type; a longer one counts as unknown.
    package static let mediaType = 256
    package static let dpopNonce = 1024
    package static let requestURI = 2 * 1024
    package static let keyID = 1024
    package static let issuer = 2 * 1024
    /// A scope that a resource names.
    package static let resourceScope = 256
    /// OpenID Connect Core, section 2.
    package static let subject = 255
    /// Real ones are encrypted values of several hundred bytes.
    package static let sessionID = 2 * 1024
    package static let logoutTokenID = 1024
}
