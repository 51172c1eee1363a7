/// A request to the token endpoint for a grant other than a code or a refresh token.
package struct GrantRules: Sendable {
    package internal(set) var request = RequestRules()
    package internal(set) var grantType: String?

    init() {}
}

extension GrantRules: DescriptorSection {
    static let keys: [Key<Self>] =
        RequestRules.keys.map { $0.lifted(to: \.request) } + [
            Key("grant_type", \.grantType, "what the provider calls the grant, if not as the standard does")
        ]
}

/// A grant's rules with everything filled in.
package struct ResolvedGrant: Sendable {
    package let request: ResolvedRequest
    /// The provider's own name for the grant.
    package let grantType: String?
}

extension InputResolver {
    func grant(
        _ rules: GrantRules, key: String, inheriting token: RequestRules
    ) throws(ResolutionError) -> ResolvedGrant {
        ResolvedGrant(
            request: try request(rules.request, key: key, inheriting: token),
            grantType: rules.grantType
        )
    }
}
