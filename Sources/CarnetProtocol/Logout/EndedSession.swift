import CarnetDescriptors
import CarnetFoundation

/// The sessions that a provider has ended: one by its id, or all of a user.
///
/// Ids and subjects are unique only together with the issuer.
package struct EndedSession: Hashable, Sendable {
    package let issuer: String
    /// The user's subject; `nil` if only the session id names the session.
    package let subject: String?
    /// The `sid` of the ID token; `nil` for all sessions of the user.
    package let sessionID: String?

    /// - Throws: `OAuthError` of kind `missingField` if it names neither a user nor a session.
    package init(issuer: String, subject: String?, sessionID: String?) throws(OAuthError) {
        guard subject != nil || sessionID != nil else {
            throw OAuthError(.logout, .missingField, "the logout request names neither a user nor a session")
        }
        self.issuer = issuer
        self.subject = subject
        self.sessionID = sessionID
    }

    /// Whether a session is one of them, by the claims of its sign-in.
    ///
    /// A session whose ID token had no `sid` can only be identified by its user.
    package func includes(issuer: String?, subject: String?, sessionID: String?) -> Bool {
        guard let issuer, issuer.isSameBytes(as: self.issuer) else { return false }
        if let named = self.subject, subject.map({ $0.isSameBytes(as: named) }) != true { return false }
        guard let named = self.sessionID else { return true }
        guard let sessionID else { return self.subject != nil }
        return sessionID.isSameBytes(as: named)
    }
}
