/// The sign-out request (OpenID Connect RP-Initiated Logout, section 2), and what a provider's own logout may lack.
public struct LogoutRules: Sendable {
    public internal(set) var request = RequestRules()
    /// Why a logout token without an end is taken.
    public internal(set) var missingEnd: String?

    init() {}
}

extension LogoutRules: DescriptorSection {
    static let keys: [Key<Self>] =
        RequestRules.keys.map { $0.lifted(to: \.request) } + [
            Key(
                "missing_exp", \.missingEnd,
                "why a logout token without exp is accepted, for five minutes after iat (OpenID Connect Back-Channel Logout)"
            )
        ]
}
