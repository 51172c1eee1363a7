import CarnetDescriptors
import CarnetFoundation

/// An authorization request that has passed every check (RFC 6749, section 4.1.1; RFC 7636, section 4.3; OpenID Connect
/// Core, section 3.1.2.1).
struct AuthorizationRequest: Sendable {
    let client: SandboxClient
    let redirectURI: String
    let state: String?
    let scopes: [String]
    let isOffline: Bool
    let nonce: String?
    let challenge: String?
    let audience: String?
    let prompt: String?
    /// The resource servers that the tokens are for (RFC 8707).
    var resources: [String] = []
    /// The requested `authorization_details` (RFC 9396).
    var details: JSONValue?
    /// The class of authentication to use (OpenID Connect Core, section 3.1.2.1).
    var acr: String?
    /// The thumbprint of the key that the code is bound to (RFC 9449, section 10).
    var keyThumbprint: String?
    var responseMode = ResponseMode.query
}

/// An authorization request that a client has sent beforehand (RFC 9126).
struct PushedRequest: Sendable {
    let request: AuthorizationRequest
    let endsAfter: Int
}

/// A request that waits for the response of a person.
struct PendingConsent: Sendable {
    let request: AuthorizationRequest
    let endsAfter: Int
}

/// Why an authorization request gets no code.
enum AuthorizationRefusal: Error {
    /// Shown to the user: the redirect URI is unknown or not trusted (RFC 6749, section 4.1.2.1).
    case shown(String)
    /// Returned to the client.
    case returned(OAuthError, to: CallbackTarget)
}
