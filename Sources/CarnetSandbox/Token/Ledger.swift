#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a user allowed a client: the family of all tokens that come from one approval.
struct Grant: Sendable {
    let clientID: String
    let user: SandboxUser
    let scopes: [String]
    /// What the client asked for; the user may have allowed less.
    let requestedScopes: [String]
    let isOffline: Bool
    let nonce: String?
    let audience: String?
    let authTime: Date
    var isRevoked = false
}

struct AuthorizationCode: Sendable {
    let grantID: String
    let redirectURI: String
    let state: String?
    let challenge: String?
    let end: Date
    var isUsed = false
}

struct AccessToken: Sendable {
    let grantID: String
    let scopes: [String]
    let issued: Date
    let end: Date
}

struct RefreshToken: Sendable {
    let grantID: String
    var isUsed = false
}

/// Everything that one authorization server has issued.
struct Ledger: Sendable {
    var grants = BoundedStore<Grant>()
    var codes = BoundedStore<AuthorizationCode>()
    var accessTokens = BoundedStore<AccessToken>()
    var refreshTokens = BoundedStore<RefreshToken>()
    /// The ids of client assertions that were taken, with the second at which each ends.
    var assertions = BoundedStore<Int>()

    mutating func revoke(grant id: String) {
        grants[id]?.isRevoked = true
    }

    /// The grant of an access token that is good at a time.
    func activeAccess(_ token: String, at now: Date) -> (token: AccessToken, grant: Grant)? {
        guard let access = accessTokens[token], access.end > now, let grant = grants[access.grantID], !grant.isRevoked
        else { return nil }
        return (access, grant)
    }
}
