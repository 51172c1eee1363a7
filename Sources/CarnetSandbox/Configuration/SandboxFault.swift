/// Something that the sandbox does wrong on request.
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
    case slow
    case tokenDown = "token-down"
    case userinfoWrongSubject = "userinfo-wrong-subject"
    case expiredAccessToken = "expired-access-token"
    case refreshRevoked = "refresh-revoked"
    case slowDown = "slow-down"
    case dpopNonce = "dpop-nonce"
    case weakSignIn = "weak-sign-in"
    case stepUp = "step-up"

    /// What happens, for people.
    public var summary: String {
        switch self {
        case .wrongState: "the callback brings another state than the one that was sent"
        case .missingIssuer: "the callback has no iss, although the metadata promises it"
        case .wrongIssuer: "the callback names another issuer"
        case .denied: "the user says no"
        case .wrongNonce: "the ID token brings another nonce"
        case .badSignature: "one bit of the ID token's signature is wrong"
        case .rotatedKey: "every ID token is signed with a key that is new in the key set"
        case .wrongAudience: "the ID token is for another client"
        case .expiredIDToken: "the ID token ended an hour ago"
        case .missingIDToken: "the token response has no ID token"
        case .missingAccessTokenHash: "the ID token has no hash of the access token"
        case .tokenHTML: "the token endpoint answers 200 with an HTML page"
        case .slow: "the token endpoint takes three seconds"
        case .token500: "the token endpoint answers 500"
        case .tokenDown: "the token endpoint cannot be reached"
        case .userinfoWrongSubject: "the profile is another person's"
        case .expiredAccessToken: "the first access token is refused as expired; a refreshed one works"
        case .refreshRevoked: "the refresh token is refused as revoked"
        case .weakSignIn: "the user signed in a day ago, and nobody knows by which means"
        case .stepUp: "resources want a sign-in of the class urn:carnet:acr:2, an hour old at most"
        case .dpopNonce: "each DPoP proof must have the server's nonce, which changes every five minutes"
        case .slowDown: "a device is told to slow down, however slow it is"
        }
    }
}
