extension ProviderSections {
    /// Whether the descriptor demands a signed response, whose keys are needed.
    private var isSigned: Bool {
        authorization.responseMode?.isSigned == true || profile.jwt.isRequired || introspection.jwt.isRequired
    }

    /// Whether a sign-in needs a value that only the metadata has.
    package var needsMetadata: Bool {
        switch discovery {
        case .off: false
        case .preferred, .required: true
        case nil:
            (issuer != nil || resource != nil || discoveryURL != nil)
                && ([.authorization, .token] + (issuer == nil && discoveryURL == nil && !isSigned ? [] : [.jwks])
                    + (authorization.isPushed ? [.pushedAuthorizationRequest] : [])
                    + (profile.source == .userinfo ? [.userinfo] : []))
                    .contains { endpoints[$0] == nil }
        }
    }
}
