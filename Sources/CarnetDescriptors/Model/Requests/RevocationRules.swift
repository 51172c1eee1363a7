/// The revocation request (RFC 7009, section 2.1), and what says that it worked.
package struct RevocationRules: RequestSection, DescriptorSection {
    package internal(set) var request = RequestRules()
    package internal(set) var authentication: ClientAuthenticationMethod?
    package internal(set) var tokens: [RevokedToken]?
    package internal(set) var tokenIn: TokenPlacement?
    package internal(set) var success = SuccessRules()

    static func elsewhere(_ name: String) -> String? { NamesElsewhere.url(name, of: .revocation) }

    static let keys: [Key<Self>] =
        RequestRules.keys(in: .signedIn).map { $0.lifted(to: \.request) } + [
            Key("authentication", \.authentication, RequestRules.authenticationSummary),
            Key(
                "tokens", \.tokens,
                "the tokens to revoke, in this order; default: the refresh token and the access token"),
            Key(
                "token_in", \.tokenIn,
                "where the access token is sent if it is not a parameter; it then also replaces client authentication"),
            Key("success", \.success, "how to recognize success; default: status 200"),
        ]
}

/// A token that a sign-out revokes.
package enum RevokedToken: String, DescriptorChoice, Sendable {
    case refreshToken = "refresh_token"
    case accessToken = "access_token"
}

extension Resolved<RevocationRules> {
    /// The tokens that a sign-out revokes, in this order.
    package var tokens: [RevokedToken] {
        self[dynamicMember: \.tokens] ?? (self.tokenIn == nil ? [.refreshToken, .accessToken] : [.accessToken])
    }
}
