package import Foundation

/// What judges an answer that is a JWT: whose keys sign it, for whom it is, and when.
package struct AnswerVerification: Sendable {
    package var keys: JSONWebKeySet
    package var registration: ClientRegistration
    package var now: Date

    /// - Parameter keys: The provider's.
    package init(with keys: JSONWebKeySet, for registration: ClientRegistration, now: Date) {
        self.keys = keys
        self.registration = registration
        self.now = now
    }
}
