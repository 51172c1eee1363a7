/// The sign-out request (OpenID Connect RP-Initiated Logout, section 2), and how a provider may end sessions itself.
package struct LogoutRules: RequestSection, DescriptorSection {
    package internal(set) var request = RequestRules()
    /// Why a logout token without an end is taken.
    package internal(set) var missingEnd: String?
    /// Whether a page in a frame may end a session.
    package internal(set) var frontChannel = false

    static func elsewhere(_ name: String) -> String? { NamesElsewhere.url(name, of: .endSession) }

    static let keys: [Key<Self>] =
        RequestRules.pageKeys.map { $0.lifted(to: \.request) } + [
            Key(
                "missing_exp", \.missingEnd,
                "the reason why a logout token without exp is accepted, for five minutes after iat (OpenID Connect Back-Channel Logout)"
            ),
            Key(
                "front_channel", \.frontChannel,
                "whether front-channel logout ends a session (OpenID Connect Front-Channel Logout); "
                    + "default: false, because such a request is not signed"
            ),
        ]
}
