/// A request to the token endpoint for a grant other than a code or a refresh token.
package struct GrantRules: RequestSection {
    package internal(set) var request = RequestRules()
    package internal(set) var grantType: String?
    package internal(set) var response: ResponseRules?

    init() {}
}

extension GrantRules: DescriptorSection {
    static let keys: [Key<Self>] =
        RequestRules.keys.map { $0.lifted(to: \.request) } + [
            Key("grant_type", \.grantType, RequestRules.grantTypeSummary),
            Key("response", \.response, RequestRules.ownResponseSummary),
        ]
}
