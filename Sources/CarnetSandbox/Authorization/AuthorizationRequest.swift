import CarnetDescriptors
import CarnetFoundation

/// An authorization request that has passed every check (RFC 6749, section 4.1.1; RFC 7636, section 4.3; OpenID Connect
/// Core, section 3.1.2.1).
struct AuthorizationRequest: Sendable {
    let client: SandboxClient
    let target: CallbackTarget
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
}

/// An authorization request that a client has sent beforehand (RFC 9126), or that waits for the response of a person.
struct PendingRequest: Sendable {
    let request: AuthorizationRequest
    let endsAfter: Int
}

/// Why an authorization request gets no code.
enum AuthorizationRefusal: Error {
    /// Shown to the user: the redirect URI is unknown or not trusted (RFC 6749, section 4.1.2.1).
    case shown(String)
    case returned(OAuthError, to: CallbackTarget)

    static func shown(_ error: OAuthError) -> Self { .shown(error.description) }

    /// The refusal of a request that no browser brings.
    var error: OAuthError {
        switch self {
        case .shown(let problem): .invalidRequest(problem)
        case .returned(let error, _): error
        }
    }
}
