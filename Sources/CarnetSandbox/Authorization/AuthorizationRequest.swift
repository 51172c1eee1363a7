import CarnetDescriptors

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
    /// What is asked for in detail (RFC 9396).
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

/// A request that waits for the answer of a person.
struct PendingConsent: Sendable {
    let request: AuthorizationRequest
    let endsAfter: Int
}

/// Why an authorization request is not answered with a code.
enum AuthorizationRefusal: Error {
    /// Told to the person: where the answer should go is not known or not trusted (RFC 6749, section 4.1.2.1).
    case shown(String)
    /// Told to the client.
    case returned(OAuthError, to: CallbackTarget)
}
