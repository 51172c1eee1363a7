/// A fault that the sandbox simulates.
public enum SandboxFault: String, CaseIterable, Hashable, Sendable {
    case wrongState = "wrong-state"
    case missingIssuer = "missing-iss"
    case wrongIssuer = "wrong-iss"
    case denied
    case wrongNonce = "wrong-nonce"
    case badSignature = "bad-signature"
    case rotatedKey = "rotated-key"
    case wrongAudience = "wrong-audience"
    case expiredIDToken = "expired-id-token"
    case missingIDToken = "missing-id-token"
    case missingAccessTokenHash = "missing-at-hash"
    case tokenHTML = "token-html"
    case token500 = "token-500"
    case tokenDown = "token-down"
    case userinfoWrongSubject = "userinfo-wrong-subject"
    case expiredAccessToken = "expired-access-token"
    case refreshRevoked = "refresh-revoked"
    case slowDown = "slow-down"
    case dpopNonce = "dpop-nonce"
    case weakSignIn = "weak-sign-in"
    case stepUp = "step-up"
    case unsignedIDToken = "unsigned-id-token"
    case wrongIDTokenIssuer = "wrong-id-token-issuer"
    case metadata500 = "metadata-500"
    case keys500 = "keys-500"
    case userinfo500 = "userinfo-500"
    case revocation500 = "revocation-500"
    case slow
    case busy

    /// The fault in one phrase, to show.
    package var summary: String {
        switch self {
        case .wrongState: "the callback has another state than the one that was sent"
        case .missingIssuer: "the callback has no iss, although the metadata announces it"
        case .wrongIssuer: "the callback names another issuer"
        case .denied: "the user denies access"
        case .wrongNonce: "the ID token has another nonce"
        case .badSignature: "the ID token's signature is wrong in one bit"
        case .rotatedKey: "every ID token is signed with a new key of the key set"
        case .wrongAudience: "the ID token is for another client"
        case .expiredIDToken: "the ID token expired an hour ago"
        case .missingIDToken: "the token response has no ID token"
        case .missingAccessTokenHash: "the ID token has no at_hash"
        case .tokenHTML: "the token endpoint returns 200 with an HTML page"
        case .token500: "the token endpoint returns 500"
        case .tokenDown: "the token endpoint is unreachable"
        case .userinfoWrongSubject: "the profile is another user's"
        case .expiredAccessToken: "the first access token is rejected as expired; a refreshed one works"
        case .refreshRevoked: "the refresh token is rejected as revoked"
        case .weakSignIn: "the user signed in a day ago, and the ID token has no acr"
        case .stepUp: "resources require a sign-in with the acr urn:carnet:acr:2, at most an hour old"
        case .dpopNonce: "each DPoP proof must have the server's nonce, which changes every five minutes"
        case .unsignedIDToken: "the ID token has alg none and no signature"
        case .wrongIDTokenIssuer: "the ID token has another issuer"
        case .metadata500: "the metadata endpoint returns 500"
        case .keys500: "the JWKS endpoint returns 500"
        case .userinfo500: "the userinfo endpoint returns 500"
        case .revocation500: "the revocation endpoint returns 500"
        case .slow: "every response is delayed, by default for five seconds"
        case .busy:
            "the token endpoint and each resource accept one request in five seconds, and return 429 to others"
        case .slowDown: "every device poll gets slow_down"
        }
    }
}
