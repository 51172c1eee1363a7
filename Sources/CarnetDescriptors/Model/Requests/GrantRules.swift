import CarnetFoundation

/// A request to the token endpoint for a grant other than a code or a refresh token.
package struct GrantRules: RequestSection, DescriptorSection {
    package internal(set) var request = RequestRules()
    package internal(set) var grantType: String?
    package internal(set) var response: ResponseRules?
    /// Whether the descriptor has the section, so that the provider has the grant.
    package internal(set) var isWritten = false

    static let keys: [Key<Self>] =
        RequestRules.keys.map { $0.lifted(to: \.request) } + [
            Key("grant_type", \.grantType, RequestRules.grantTypeSummary),
            Key("response", \.response, RequestRules.ownResponseSummary),
        ]

    mutating func noteWritten() { isWritten = true }
}

extension ProviderDescriptor {
    /// Whether a metadata document can supply what the descriptor does not say.
    package var canDiscover: Bool {
        self.discovery != .off && (self.issuer != nil || self.discoveryURL != nil || self.resource != nil)
    }

    /// Whether a user can sign in at a page of the provider: one that the descriptor, or its metadata, names.
    package var hasSignInPage: Bool { canDiscover || self.endpoints[.authorization] != nil }

    /// Whether a user can sign in, at such a page or on another device.
    package var canSignIn: Bool { hasSignInPage || self.endpoints[.deviceAuthorization] != nil }

    /// The grants without such a page that the descriptor names. Where nobody signs in and nothing identifies a user, the
    /// client has its own tokens.
    package var grantsWithoutPage: [RequestKind] {
        var grants: [RequestKind] = []
        if self.endpoints[.deviceAuthorization] != nil { grants.append(.device) }
        if self.tokenExchange.isWritten { grants.append(.tokenExchange) }
        if self.jwtBearer.grant.isWritten { grants.append(.jwtBearer) }
        let isOfClient = !hasSignInPage && grants.isEmpty && self.profile.subject != nil
        return self.clientCredentials.isWritten || isOfClient ? [.clientCredentials] + grants : grants
    }
}
