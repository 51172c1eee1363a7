package import Carnet
import CarnetCrypto
package import CarnetProtocol

/// The index of a database for a provider's logout: issuer with subject, and issuer with session id.
///
/// They are hashes because the names have any length. The record itself decides whether a logout applies.
package struct SessionHashes: Hashable, Sendable {
    /// 64 hexadecimal digits; empty without a user.
    package let user: String
    /// 64 hexadecimal digits; empty without a session.
    package let session: String

    package init(_ connection: Connection) {
        self.init(issuer: connection.namespace, subject: connection.subject, sessionID: connection.sessionID)
    }

    package init(_ ended: EndedSession) {
        self.init(issuer: ended.issuer, subject: ended.subject, sessionID: ended.sessionID)
    }

    private init(issuer: String?, subject: String?, sessionID: String?) {
        func hash(_ kind: String, _ name: String?) -> String {
            guard let issuer, let name else { return "" }
            let parts = [kind, issuer, name].map { SHA256.hash(data: Array($0.utf8)).hexadecimal }
            return SHA256.hash(data: Array(parts.joined().utf8)).hexadecimal
        }
        user = hash("user", subject)
        session = hash("session", sessionID)
    }
}
