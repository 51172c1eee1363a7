public import Carnet
import CarnetDescriptors
public import Foundation

/// The signed-in accounts of one browser. It is an encrypted cookie; the tokens stay in the token store.
public struct WebSession: Codable, Hashable, Sendable {
    /// New at every sign-in.
    package let id: String
    /// The latest sign-in first.
    public internal(set) var accounts: [WebAccount]
    public let expiresAt: Date

    /// The latest sign-in, or the latest with a provider.
    public func account(of provider: ProviderID? = nil) -> WebAccount? {
        accounts.first { provider == nil || $0.provider == provider }
    }
}

/// One account that signed in with one browser.
public struct WebAccount: Codable, Hashable, Sendable {
    public let provider: ProviderID
    /// The account's name in the token store. It is random, so that two browsers of one user share no tokens, and a
    /// sign-out of one does not affect the other.
    package let connection: String
    public let issuer: String?
    /// With the provider and issuer, it identifies the user; an e-mail address does not. Without it nobody is signed
    /// in.
    public let subject: String
    /// The name to show, truncated to about 160 bytes.
    public let name: String?
    public let signedInAt: Date

    func isSamePerson(as other: WebAccount) -> Bool {
        provider == other.provider && issuer.isSameBytes(as: other.issuer)
            && subject.isSameBytes(as: other.subject)
    }
}
