import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetStorage
package import HTTPTypes

/// A session goes from the host with the sign-in to another host of the same site as an encrypted ticket in a redirect.
///
/// Each of the two hosts gives the browser a secret in a cookie of its own. The other host asks for the ticket with an encrypted
/// request that has the hashes of both. So a ticket is issued in a browser that was at both hosts, and serves only there: nobody
/// can sign a browser in with the ticket of another (login CSRF). What reads addresses in the browser, a service worker of the
/// other host, could have one issued for a browser elsewhere, so hosts must not install any.
extension WebSignIn {
    private static let ticketPurpose = "ticket for a session"
    private static let requestPurpose = "request for a session"
    static let entryPurpose = "secret of a browser"
    private static let ticketLifetime: TimeInterval = 60
    private static let entryLifetime = 3600
    private static let entryBytes = 16

    private struct EntryRequest: Codable {
        /// The hash of the secret at the host that asks.
        let entry: String
        /// The hash of the secret at the host with the sign-in.
        let browser: String
        let expiresAt: Date
    }

    private struct Ticket: Codable {
        let id: String
        let accounts: [WebAccount]
        let entry: String
        let expiresAt: Date
    }

    /// At either host: the hash of the browser's secret, and the cookie to set.
    package func beginEntry(_ request: HTTPRequest) throws -> (hash: String, cookie: String?) {
        let secret = entrySecret(of: request) ?? randomName(bytes: Self.entryBytes)
        let value = try encrypted(secret, for: purpose(Self.entryPurpose))
        return (hash(secret), cookies.cookie(cookies.entry, value, seconds: Self.entryLifetime))
    }

    /// At a host without a session: the request for a ticket, and the cookie to set.
    ///
    /// - Parameter browser: The hash of the browser's secret at the host with the sign-in.
    package func entryRequest(_ request: HTTPRequest, from browser: String) throws -> (text: String, cookie: String?) {
        let (entry, cookie) = try beginEntry(request)
        let asked = EntryRequest(
            entry: entry, browser: browser, expiresAt: clock.now.addingTimeInterval(Double(Self.entryLifetime)))
        return (try encrypted(asked, for: purpose(Self.requestPurpose)), cookie)
    }

    /// At the host with the sign-in: whether this browser may have a ticket for another host that asked for it.
    package func accepts(_ entryRequest: String, of host: WebSignIn, _ request: HTTPRequest) -> Bool {
        asked(entryRequest, of: host, request) != nil
    }

    private func asked(_ text: String, of host: WebSignIn, _ request: HTTPRequest) -> EntryRequest? {
        guard let secret = entrySecret(of: request),
            let asked = decrypted(text, as: EntryRequest.self, for: host.purpose(Self.requestPurpose)),
            asked.expiresAt > clock.now, asked.browser.isSameBytes(as: hash(secret))
        else { return nil }
        return asked
    }

    /// At the host with the sign-in: the ticket for another host; `nil` if nobody is signed in, or this browser did not ask.
    ///
    /// - Throws: `TokenStoreError`.
    package func ticket(
        for host: WebSignIn, asked text: String, _ request: HTTPRequest
    ) async throws -> String? {
        guard let asked = asked(text, of: host, request), let session = try await liveSession(of: request) else {
            return nil
        }
        let ticket = Ticket(
            id: randomName(bytes: Self.entryBytes), accounts: session.accounts, entry: asked.entry,
            expiresAt: clock.now.addingTimeInterval(Self.ticketLifetime))
        return try encrypted(ticket, for: host.purpose(Self.ticketPurpose))
    }

    /// At the other host: the cookies of a ticket's session. The first browser that presents a ticket uses it up.
    ///
    /// - Parameter used: Remembers the tickets, for all processes that share it.
    /// - Returns: `nil` if the ticket is not for this host and this browser now.
    /// - Throws: Errors of `used`.
    package func enter(
        _ ticket: String, _ request: HTTPRequest, remembering used: any UsedTokenStore
    ) async throws -> [String]? {
        guard
            let ticket = decrypted(ticket, as: Ticket.self, for: purpose(Self.ticketPurpose)),
            ticket.expiresAt > clock.now,
            try await used.use("ticket \(ticket.id)", until: ticket.expiresAt, now: clock.now),
            let secret = entrySecret(of: request), ticket.entry.isSameBytes(as: hash(secret)),
            let cookie = try sessionCookie(ticket.accounts)
        else { return nil }
        return [cookies.removal(cookies.entry), cookie]
    }

    private func entrySecret(of request: HTTPRequest) -> String? {
        receivedCookies(of: request)[cookies.entry].flatMap { decrypted($0, for: purpose(Self.entryPurpose)) }
    }
}
