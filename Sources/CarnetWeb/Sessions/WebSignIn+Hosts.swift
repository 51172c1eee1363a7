import Carnet
import CarnetCrypto
import CarnetFoundation
import CarnetProtocol
import CarnetStorage
package import HTTPTypes

/// A session goes from the host with the sign-in to another host of the same site as an encrypted ticket in a redirect.
///
/// The ticket is for one host and for the browser that asked for it: the browser has a secret in a cookie of that host, and
/// the ticket has the secret's hash. So nobody can sign a browser in with the ticket of another (login CSRF).
extension WebSignIn {
    private static let ticketPurpose = "ticket for a session"
    private static let ticketLifetime: TimeInterval = 60
    private static let entryLifetime = 3600
    private static let entryBytes = 16

    private struct Ticket: Codable {
        let accounts: [WebAccount]
        let entry: String
        let returnTo: ReturnTarget
        let expiresAt: Date
    }

    /// At a host without a session: the hash for the ticket, and the cookie to set.
    package func beginEntry(_ request: HTTPRequest) -> (entry: String, cookie: String?) {
        let known = receivedCookies(of: request)[cookies.entry].flatMap { isEntry($0) ? $0 : nil }
        let secret = known ?? randomName(bytes: Self.entryBytes)
        return (hash(secret), cookies.cookie(cookies.entry, secret, seconds: Self.entryLifetime))
    }

    /// At the host with the sign-in: the ticket for another host; `nil` if nobody is signed in, or `entry` is no hash.
    ///
    /// - Throws: `TokenStoreError`.
    package func ticket(
        for host: WebSignIn, entry: String, returningTo target: ReturnTarget, _ request: HTTPRequest
    ) async throws -> String? {
        guard entry.utf8.count == 64, let session = try await liveSession(of: request) else { return nil }
        let ticket = Ticket(
            accounts: session.accounts, entry: entry, returnTo: target,
            expiresAt: clock.now.addingTimeInterval(Self.ticketLifetime))
        return try EncryptedValue.encrypt(
            ticket, for: host.purpose(Self.ticketPurpose), with: keys, random: random)
    }

    /// At the other host: sets the session of a ticket and leads on.
    ///
    /// - Returns: `nil` if the ticket is not for this host and this browser now.
    package func enter(_ ticket: String, _ request: HTTPRequest) throws -> WebReply? {
        guard let secret = receivedCookies(of: request)[cookies.entry], isEntry(secret),
            let ticket = try? EncryptedValue.decrypt(
                ticket, as: Ticket.self, for: purpose(Self.ticketPurpose), with: keys),
            ticket.expiresAt > clock.now, ticket.entry.isSameBytes(as: hash(secret)),
            let cookie = try sessionCookie(ticket.accounts)
        else { return nil }
        var reply = WebReply.redirect(to: ticket.returnTo.path)
        reply.set([cookies.removal(cookies.entry), cookie])
        return reply
    }

    private func isEntry(_ text: String) -> Bool { text.utf8.count == 2 * Self.entryBytes }

    private func hash(_ secret: String) -> String { Array(SHA256.hash(data: Array(secret.utf8))).hexadecimal }
}
