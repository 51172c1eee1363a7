package import CarnetDescriptors
package import CarnetFoundation
import CarnetProtocol
import CarnetWeb

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
    /// One valid address: with a second one in it, programs disagree whose it is.
    package private(set) var email: String?
    /// Whether an address was sent, valid or not.
    private let hasEmail: Bool
    /// As the provider states it; `nil` if it does not.
    package var isEmailVerified: Bool?
    /// The client that a program's token was issued to.
    package var clientID: String?
    /// The granted scopes, with all that they imply at the provider.
    package var scopes: Set<String>
    /// The claims of the profile or of the access token; the groups are among them.
    package var claims: JSONObject
    /// Where the provider leaves the tenant open: what distinguishes its tenants.
    package var tenants: IssuerPattern?
    /// The account of a session, whose tokens a program may get.
    var account: WebAccount?

    package init(
        kind: Kind, provider: ProviderID, issuer: String? = nil, subject: String? = nil, name: String? = nil,
        email: String? = nil, isEmailVerified: Bool? = nil, clientID: String? = nil, scopes: Set<String> = [],
        claims: JSONObject = JSONObject(), tenants: IssuerPattern? = nil
    ) {
        self.kind = kind
        self.provider = provider
        self.issuer = issuer
        self.subject = subject
        self.email = email.flatMap { EmailAddress($0)?.text }
        hasEmail = email.map { !$0.isEmpty } ?? false
        self.name = email != nil && name.isSameBytes(as: email) ? self.email : name
        self.isEmailVerified = isEmailVerified
        self.tenants = tenants
        self.clientID = clientID
        self.scopes = scopes
        self.claims = claims
    }

    /// One value for each person and each program, which no two have: behind the provider's id, which has no colon, a program
    /// has a slash. An account of one of many tenants has its issuer there, which is encoded.
    package var id: String? {
        let head = provider.rawValue + (tenants == nil ? "" : "/" + PercentEncoding.encode(issuer ?? ""))
        guard kind == .program else { return subject.map { "\(head):\($0)" } }
        return userOfProgram.map { "\(head)/token:\($0)" } ?? clientID.map { "\(head)/client:\($0)" }
    }

    /// The account that the issuer names in a program's token: without a user, the subject is the client (RFC 9068, section 3),
    /// who may be called as a person.
    private var userOfProgram: String? { subject.isSameBytes(as: clientID) ? nil : subject }

    /// The provider's id of the account, for a header.
    var shownSubject: String? { kind == .person ? subject : clientID == nil ? nil : userOfProgram }

    /// The identity with the statements that count: an address only if it is known to belong to the person. Conditions,
    /// headers, tokens and pages read no other.
    func counting(at provider: GatewayProvider) -> GatewayIdentity {
        var identity = self
        if !(isEmailVerified ?? (provider.trustsEmail != nil)) { identity.dropEmail() }
        identity.claims["email"] = identity.email.map { .string($0) }
        return identity
    }

    /// Why no address counts, for the operator.
    var lackOfEmail: String {
        guard email != nil else { return hasEmail ? "the address that was sent is not valid" : "no address was sent" }
        return isEmailVerified == nil
            ? "the provider does not state email_verified; see trust_email" : "email_verified is false"
    }

    /// The identity without what a tenant says that nobody chose, or a provider that the file does not have. Its own name stays.
    func withoutStatements(of tenants: IssuerPattern?) -> GatewayIdentity {
        var identity = self
        identity.dropEmail()
        identity.claims = JSONObject()
        for claim in tenants?.claims ?? [] { identity.claims[claim] = claims[claim] }
        return identity
    }

    /// A name may be the address.
    private mutating func dropEmail() {
        if email != nil, name.isSameBytes(as: email) { name = nil }
        email = nil
        isEmailVerified = nil
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
    func groups(_ provider: GatewayProvider) -> [String] { claims.texts(ofClaim: provider.groups) }
}

extension JSONObject {
    /// The values of a claim that has one or a list.
    func texts(ofClaim name: String) -> [String] {
        guard let value = claim(named: name) else { return [] }
        return (value.array ?? [value]).compactMap(\.scalarText)
    }
}
