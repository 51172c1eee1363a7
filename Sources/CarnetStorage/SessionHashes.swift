package import Carnet
package import CarnetProtocol
import Crypto

/// What a database finds a session by when its provider ends it: issuer with subject, and issuer with session id.
///
/// They are hashed because names of issuers and users have any length. Whether a logout is about a session, its record
/// says.
package struct SessionHashes: Hashable, Sendable {
    /// 64 hexadecimal digits; empty if no user is named.
    package let user: String
    /// 64 hexadecimal digits; empty if no session is named.
    package let session: String

    package init(_ connection: Connection) {
        self.init(issuer: connection.issuer, subject: connection.subject, sessionID: connection.sessionID)
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
