public import Carnet
import CarnetDescriptors
public import Foundation

/// Who is signed in at one browser. It travels sealed in a cookie; the tokens stay in the token store.
public struct WebSession: Codable, Hashable, Sendable {
    /// New at every sign-in.
    public let id: String
    /// The latest sign-in first.
    public internal(set) var accounts: [WebAccount]
    public let expiresAt: Date

    /// The latest sign-in, of a provider if one is named.
    public func account(of provider: ProviderID? = nil) -> WebAccount? {
        accounts.first { provider == nil || $0.provider == provider }
    }
}

/// One account that signed in at one browser.
public struct WebAccount: Codable, Hashable, Sendable {
    public let provider: ProviderID
    /// The name of its connection in the token store: random, so that two browsers of one person share no tokens, and a
    /// sign-out of one leaves the other alone.
    public let connection: String
    public let issuer: String?
    /// With the provider and issuer, what tells persons apart; an e-mail address does not. Nobody is signed in without.
    public let subject: String
    /// For people, cut to some 160 bytes.
    public let name: String?
    public let signedInAt: Date

    func isSamePerson(as other: WebAccount) -> Bool {
        provider == other.provider && issuer.isSameBytes(as: other.issuer)
            && subject.isSameBytes(as: other.subject)
    }
}
