public import Carnet
import CarnetDescriptors
public import CarnetFoundation

/// The signed-in accounts of one browser. It is an encrypted cookie; the tokens stay in the token store.
public struct WebSession: Codable, Hashable, Sendable {
    /// New at every sign-in.
    package let id: String
    /// The latest sign-in first.
    public internal(set) var accounts: [WebAccount]
    public let expiresAt: Date
}

extension WebSession {
    /// A session of these accounts, for a host's unit tests. It is in no cookie.
    public init(accounts: [WebAccount], expiresAt: Date = .distantFuture) {
        self.init(id: "", accounts: accounts, expiresAt: expiresAt)
    }

    /// The latest sign-in, or the latest with a provider.
    public func account(of provider: ProviderID? = nil) -> WebAccount? {
        accounts.first { provider == nil || $0.provider == provider }
    }

    /// The session after some accounts have ended; `nil` if the latest is one of them.
    ///
    /// On a shared computer, an earlier account may be another person's. So none takes the place of an ended account in
    /// `account(of:)`, until somebody signs in again.
    func ending(_ ended: [WebAccount]) -> WebSession? {
        guard let latest = accounts.first, !ended.contains(latest) else { return nil }
        var closed: Set<ProviderID> = []
        var session = self
        session.accounts = accounts.filter { account in
            if ended.contains(account) { closed.insert(account.provider) }
            return !closed.contains(account.provider)
        }
        return session
    }
}

/// One account that signed in with one browser.
public struct WebAccount: Codable, Hashable, Sendable {
    public let provider: ProviderID
    /// The account's name in the token store. It is random, so that two browsers of one user share no tokens, and a
    /// sign-out of one does not affect the other. Empty for an account of the host's own making, which has no tokens.
    package let storeName: String
    public let issuer: String?
    /// The subject. With the provider and the issuer, it identifies the user; an e-mail address does not.
    public let subject: String
    /// The name to show, truncated to about 160 bytes.
    public internal(set) var name: String?
    /// The e-mail address at the sign-in, or as kept claims were read last; `nil` without one, and for one of more than 254 bytes.
    public internal(set) var email: String?
    /// Whether the provider says that the address belongs to the user; `nil` if it does not say.
    public internal(set) var isEmailVerified: Bool?
    public let signedInAt: Date
    /// The result of `findUser` of `WebSignIn`: the host's own name of the user.
    public internal(set) var userID: String?
    /// The claims that `claims` of `WebSignIn` names, as they were read last. They are kept with the tokens, so
    /// only `SignInMiddleware` and `liveSession(of:)` of `WebSignIn` set them.
    public internal(set) var claims = JSONObject()
    /// The granted scopes, kept and set as `claims`.
    package internal(set) var scopes: [String] = []

    private enum CodingKeys: CodingKey {
        case provider, storeName, issuer, subject, name, email, isEmailVerified, signedInAt, userID
    }

    /// An account without tokens: for a host's unit tests, and to find the browsers of a user from the host's own records.
    public init(
        provider: ProviderID, issuer: String? = nil, subject: String, name: String? = nil, email: String? = nil,
        isEmailVerified: Bool? = nil, signedInAt: Date = Date(timeIntervalSince1970: 0), userID: String? = nil
    ) {
        self.init(provider: provider, storeName: "", issuer: issuer, subject: subject, signedInAt: signedInAt)
        (self.name, self.email, self.isEmailVerified, self.userID) = (name, email, isEmailVerified, userID)
    }

    init(provider: ProviderID, storeName: String, issuer: String?, subject: String, signedInAt: Date) {
        self.provider = provider
        self.storeName = storeName
        self.issuer = issuer
        self.subject = subject
        self.signedInAt = signedInAt
    }

    /// In bytes.
    private static let nameLimit = 160
    /// RFC 5321, section 4.5.3.1.3, with RFC 3696's erratum 1690.
    private static let emailLimit = 254

    /// Sets what describes the person, within what fits into a cookie.
    mutating func setIdentity(name: String?, email: String?, isEmailVerified: Bool?) {
        self.name = name.map { $0.prefix(bytes: Self.nameLimit) }
        self.email = email.flatMap { $0.utf8.count <= Self.emailLimit ? $0 : nil }
        self.isEmailVerified = self.email == nil ? nil : isEmailVerified
    }

    func isSamePerson(as other: WebAccount) -> Bool {
        provider == other.provider && issuer.isSameBytes(as: other.issuer)
            && subject.isSameBytes(as: other.subject)
    }
}
