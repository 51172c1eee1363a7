public import Foundation

/// What judges an answer that is a JWT: whose keys sign it, for whom it is, and when.
public struct AnswerVerification: Sendable {
    public var keys: JSONWebKeySet
    public var registration: ClientRegistration
    public var now: Date

    /// - Parameter keys: The provider's.
    public init(with keys: JSONWebKeySet, for registration: ClientRegistration, now: Date) {
        self.keys = keys
        self.registration = registration
        self.now = now
    }
}
