/// The token request and its response.
package struct TokenRules: RequestSection, DescriptorSection {
    package internal(set) var request = RequestRules()
    package internal(set) var grantType: String?
    package internal(set) var response = ResponseRules()

    static func elsewhere(_ name: String) -> String? { NamesElsewhere.url(name, of: .token) }

    static let keys: [Key<Self>] =
        RequestRules.keys(in: .tokenRequest).map { $0.lifted(to: \.request) } + [
            Key("grant_type", \.grantType, RequestRules.grantTypeSummary),
            Key("response", \.response, "the places of the tokens in the response"),
        ]
}
