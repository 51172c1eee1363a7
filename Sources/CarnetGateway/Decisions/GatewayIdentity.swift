package import CarnetDescriptors
package import CarnetFoundation

/// The sender of a request: a person with a session, or a program with an access token.
package struct GatewayIdentity: Sendable {
    package enum Kind: Hashable, Sendable {
        case person
        case program
    }

    package var kind: Kind
    package var provider: ProviderID
    package var issuer: String?
    package var subject: String?
    package var name: String?
    package var email: String?
    /// As the provider states it; `nil` if it does not.
    package var isEmailVerified: Bool?
    /// The client that a program's token was issued to.
    package var clientID: String?
    /// The granted scopes, with all that they imply at the provider.
    package var scopes: Set<String>
    /// The claims of the profile or of the access token; the groups are among them.
    package var claims: JSONObject

    package init(
        kind: Kind, provider: ProviderID, issuer: String? = nil, subject: String? = nil, name: String? = nil,
        email: String? = nil, isEmailVerified: Bool? = nil, clientID: String? = nil, scopes: Set<String> = [],
        claims: JSONObject = JSONObject()
    ) {
        self.kind = kind
        self.provider = provider
        self.issuer = issuer
        self.subject = subject
        self.name = name
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.clientID = clientID
        self.scopes = scopes
        self.claims = claims
    }

    /// The e-mail address if it is known to belong to the person.
    func trustedEmail(_ provider: GatewayProvider) -> String? {
        isEmailVerified == true || isEmailVerified == nil && provider.trustsEmail != nil ? email : nil
    }

    /// The groups, in the order of the claim.
    func groups(_ provider: GatewayProvider) -> [String] {
        switch claims.claim(named: provider.groups) {
        case .array(let elements)?: elements.compactMap(\.scalarText)
        case let value?: value.scalarText.map { [$0] } ?? []
        case nil: []
        }
    }
}
