import Carnet
import CarnetDescriptors
import CarnetProtocol

/// An access token that is accepted.
struct ValidatedToken: Sendable {
    let token: AccessToken
    let provider: ProviderID
    /// The granted scopes with all that they imply at the provider. What is no scope (RFC 6749, section 3.3) grants nothing.
    let granted: Set<String>

    init(_ token: AccessToken, of issuer: TokenIssuer) {
        self.token = token
        provider = issuer.client.provider.id
        granted = issuer.scopes.effectiveScopes(token.scopes.filter(ScopeRules.isToken))
    }
}
