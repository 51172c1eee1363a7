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

    /// The status; the error code (RFC 6750, section 3.1; RFC 9449, section 12.2; RFC 9470, section 3), none for a request
    /// without a token; what the sender of the request may know, where values of the token are not repeated; and the reason
    /// for the server's log.
    var parts: (status: HTTPResponse.Status, code: String?, publicDescription: String?, reason: String) {
        switch self {
        case .malformed(let reason): (.badRequest, "invalid_request", reason, reason)
        case .notFound(let reason): (.notFound, nil, nil, reason)
        case .unknownHost: (.misdirectedRequest, nil, nil, "no resource and no key of the map names the host")
        case .wrongMethod(let methods):
            (.methodNotAllowed, nil, nil, "the resource has other methods: " + methods.joined(separator: ", "))
        case .missingToken: (.unauthorized, nil, nil, "the request has no access token")
        case .invalidToken(let error): (.unauthorized, "invalid_token", Self.description(of: error.kind), "\(error)")
        case .invalidProof(let error):
            (
                .unauthorized, "invalid_dpop_proof",
                "the DPoP proof is not for this request and token, or was used before", "\(error)"
            )
        case .wantsNonce: (.unauthorized, "use_dpop_nonce", nil, "the DPoP proof needs the server's nonce")
        case .insufficientScope(let missing):
            (
                .forbidden, "insufficient_scope", "the access token lacks scopes",
                "missing scopes: " + missing.joined(separator: " ").quotable()
            )
        case .forbidden(let claim): (.forbidden, nil, nil, "the claim \(claim) has none of the needed values")
        case .insufficientAuthentication:
            (
                .unauthorized, "insufficient_user_authentication", "the user must sign in again",
                "the user signed in too long ago, or with another method than required"
            )
        case .unavailable(let error): (.serviceUnavailable, nil, nil, "\(error)")
        }
    }

    private static func description(of kind: OAuthError.Kind) -> String {
        switch kind {
        case .expiredToken: "the access token has expired"
        case .audienceMismatch: "the access token is for another resource"
        case .issuerMismatch: "the access token is from another issuer"
        case .wrongTokenUse: "the token is not an access token for this request"
        default: "the access token is invalid"
        }
    }
}
