import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// Why a request is refused, before a response is made of it.
enum AccessProblem: Error {
    /// The request itself is wrong, with any token.
    case malformed(String)
    case notFound(String)
    /// The resource map has hosts, and this one is not among them.
    case unknownHost
    case wrongMethod([String])
    case missingToken
    case invalidToken(OAuthError)
    case invalidProof(OAuthError)
    /// The proof lacks the server's nonce, or has an old one.
    case wantsNonce
    /// These scopes are missing.
    case insufficientScope([String])
    /// A claim has none of the needed values, and no other token of the user would.
    case forbidden(claim: String)
    /// The user must sign in again, with one of these classes or more recently.
    case insufficientAuthentication(acr: [String], maxAge: Int?)
    /// The provider cannot be reached, so that the token is neither valid nor invalid.
    case unavailable(OAuthError)

    /// An error of the validation: the token's fault, or the provider's.
    init(_ error: OAuthError) {
        self = error.step == .accessToken ? .invalidToken(error) : .unavailable(error)
    }

    var status: HTTPResponse.Status {
        switch self {
        case .malformed: .badRequest
        case .notFound: .notFound
        case .unknownHost: .misdirectedRequest
        case .wrongMethod: .methodNotAllowed
        case .missingToken, .invalidToken, .invalidProof, .wantsNonce, .insufficientAuthentication: .unauthorized
        case .insufficientScope, .forbidden: .forbidden
        case .unavailable: .serviceUnavailable
        }
    }

    /// The error code (RFC 6750, section 3.1; RFC 9449, section 12.2; RFC 9470, section 3); none for a request without a
    /// token.
    var code: String? {
        switch self {
        case .malformed: "invalid_request"
        case .missingToken, .unavailable, .notFound, .unknownHost, .wrongMethod, .forbidden: nil
        case .invalidToken: "invalid_token"
        case .invalidProof: "invalid_dpop_proof"
        case .wantsNonce: "use_dpop_nonce"
        case .insufficientScope: "insufficient_scope"
        case .insufficientAuthentication: "insufficient_user_authentication"
        }
    }

    /// Whether the response says what a client can do: another token may help.
    var hasChallenge: Bool {
        switch self {
        case .notFound, .unknownHost, .wrongMethod, .forbidden, .unavailable: false
        default: true
        }
    }

    /// What the sender of the request may know. Values of the token are not repeated.
    var publicDescription: String? {
        switch self {
        case .malformed(let reason): reason
        case .missingToken, .unavailable, .wantsNonce, .notFound, .unknownHost, .wrongMethod, .forbidden: nil
        case .insufficientScope: "the access token lacks scopes"
        case .insufficientAuthentication: "the user must sign in again"
        case .invalidProof: "the DPoP proof is not for this request and token, or was used before"
        case .invalidToken(let error):
            switch error.kind {
            case .expiredToken: "the access token has expired"
            case .audienceMismatch: "the access token is for another resource"
            case .issuerMismatch: "the access token is from another issuer"
            case .wrongTokenUse: "the token is not an access token for this request"
            default: "the access token is invalid"
            }
        }
    }

    /// For the server's log.
    var reason: String {
        switch self {
        case .malformed(let reason), .notFound(let reason): reason
        case .unknownHost: "no resource and no key of the map names the host"
        case .wrongMethod(let methods): "the resource has other methods: " + methods.joined(separator: ", ")
        case .missingToken: "the request has no access token"
        case .invalidToken(let error), .invalidProof(let error), .unavailable(let error): "\(error)"
        case .wantsNonce: "the DPoP proof needs the server's nonce"
        case .insufficientScope(let missing): "missing scopes: " + missing.joined(separator: " ").quotable()
        case .forbidden(let claim): "the claim \(claim) has none of the needed values"
        case .insufficientAuthentication: "the user signed in too long ago, or with another method than required"
        }
    }
}
