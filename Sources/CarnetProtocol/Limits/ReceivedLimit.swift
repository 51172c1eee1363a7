/// How long may be what a server or a browser sends, in bytes of UTF-8. What is longer is refused before anything is done
/// with it. `Docs/security.md` has the table.
package enum ReceivedLimit {
    /// An access or refresh token, and a signed JWT.
    package static let token = 64 * 1024
    /// An encrypted token: base64url makes the signed one in it longer by a third.
    package static let encryptedToken = token * 3 / 2
    package static let code = 8 * 1024
    package static let deviceCode = 4 * 1024
    /// The scopes that a token response names.
    package static let scope = 64 * 1024
    /// What a token response says was granted in detail (RFC 9396, section 7).
    package static let authorizationDetails = 64 * 1024
    /// The profile that is kept of a token response.
    package static let keptProfile = 64 * 1024
    /// A value that a descriptor keeps of a callback or a response.
    package static let keptValue = 8 * 1024
    /// A member of a client registration.
    package static let registrationMember = 8 * 1024
    /// A `WWW-Authenticate` field; what comes behind is not read.
    package static let challenge = 4 * 1024
    /// A media type; a longer one is an unknown one.
    package static let mediaType = 256
    package static let dpopNonce = 1024
    package static let requestURI = 2 * 1024
    package static let keyID = 1024
    package static let issuer = 2 * 1024
    /// OpenID Connect Core, section 2.
    package static let subject = 255
    /// Real ones are seals of several hundred bytes.
    package static let sessionID = 2 * 1024
    package static let logoutTokenID = 1024
}
