import CarnetFoundation

/// The refresh request, and when it is made.
package struct RefreshRules: RequestSection, DescriptorSection {
    package internal(set) var request = RequestRules()
    package internal(set) var grantType: String?
    package internal(set) var margin: Seconds?
    package internal(set) var using = RefreshCredential.refreshToken
    package internal(set) var rotation = RefreshRotation.unknown
    package internal(set) var expiryFrom = ExpirySource.response
    package internal(set) var authentication: ClientAuthenticationMethod?
    package internal(set) var response: ResponseRules?
    package internal(set) var result = RefreshResult.tokens

    static func elsewhere(_ name: String) -> String? { NamesElsewhere.url(name, of: .refresh) }

    static let keys: [Key<Self>] =
        RequestRules.keys(in: .signedIn).map { $0.lifted(to: \.request) } + [
            Key("grant_type", \.grantType, RequestRules.grantTypeSummary),
            Key(
                "using", \.using,
                "the token to send; it is in the parameter refresh_token, which can be renamed"),
            Key("authentication", \.authentication, RequestRules.authenticationSummary),
            Key("response", \.response, RequestRules.ownResponseSummary),
            Key(
                "brings", \.result,
                "what the response contains: tokens (default), or expiry, which is a new expiry of the same tokens"),
            Key(
                "rotation", \.rotation,
                "what a refresh does to the refresh token. keep_old: a new one replaces it, if one comes; always_new: it "
                    + "is used up, also if none comes; none: it stays; unknown (default): no source says it, and Carnet "
                    + "behaves as with keep_old"),
            Key("expiry_from", \.expiryFrom, "the source of the access token's expiry if the response has none"),
            Key("margin", \.margin, "how many seconds before its expiry a token is refreshed; default: 60"),
        ]
}

extension Resolved<RefreshRules> {
    /// How many seconds before its expiry an access token is refreshed.
    package var margin: Int { self[dynamicMember: \.margin]?.count ?? 60 }
}

extension ProviderDescriptor {
    /// How the response to a refresh is read.
    package var refreshResponse: ResponseRules { self.refresh.response ?? self.token.response }
}

extension FilledProvider {
    /// The provider as a further token set of a sign-in sees it: its fields are at another place.
    package func reading(_ set: String?) -> FilledProvider {
        guard let set, let rules = self.token.response.reading(set) else { return self }
        return changed { $0.token.described.response = rules }
    }
}

extension ProviderSections {
    /// How the response to a refresh is read.
    package var refreshResponse: ResponseRules { refresh.response ?? token.response }
}

/// What a refresh returns.
package enum RefreshResult: String, DescriptorChoice, Sendable {
    case tokens
    /// The tokens stay, and are valid for longer.
    case expiry
}

/// What a refresh exchanges.
package enum RefreshCredential: String, DescriptorChoice, Sendable {
    case refreshToken = "refresh_token"
    /// The access token while it is valid, for providers without refresh tokens.
    case accessToken = "access_token"
}
