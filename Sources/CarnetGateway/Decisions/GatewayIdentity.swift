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

    /// In bytes. A proxy has little more room for all headers together.
    private static let shownGroupsLimit = 4_096

    /// The groups for the program behind: all, or if they are too long for a header, those of them that routes name.
    func shownGroups(_ provider: GatewayProvider, named: Set<ByteKey>) -> [String] {
        func size(_ groups: [String]) -> Int { groups.reduce(0) { $0 + $1.utf8.count + 1 } }
        let all = groups(provider)
        guard size(all) > Self.shownGroupsLimit else { return all }
        let some = all.filter { named.contains(ByteKey($0)) }
        return size(some) > Self.shownGroupsLimit ? [] : some
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
