/// The revocation request (RFC 7009, section 2.1), and what says that it worked.
package struct RevocationRules: Sendable {
    package internal(set) var request = RequestRules()
    package internal(set) var tokens: [RevokedToken]?
    package internal(set) var tokenIn: TokenPlacement?
    package internal(set) var success = SuccessRules()

    init() {}
}

extension RevocationRules: DescriptorSection {
    static let keys: [Key<Self>] =
        RequestRules.keys.map { $0.lifted(to: \.request) } + [
            Key("tokens", \.tokens, "which tokens are revoked, in this order; the refresh token and the access token"),
            Key(
                "token_in", \.tokenIn,
                "where the access token is, if it is no parameter: it then stands for the client too"),
            Key("success", \.success, "what says that it worked, if it is not the status 200"),
        ]
}

/// A token that a sign-out revokes.
package enum RevokedToken: String, DescriptorChoice, Sendable {
    case refreshToken = "refresh_token"
    case accessToken = "access_token"
}
