public import Carnet
import CarnetCrypto
import CarnetFoundation
import CarnetStorage
public import HTTPTypes
import Logging

extension WebSignIn {
    /// What a cookie is encrypted for, with the origin: the cookies of a host go to every port of it (RFC 6265, section
    /// 8.5), and sites that share a key must not take each other's.
    func purpose(_ what: String) -> String { "\(what) of \(origin.origin)" }

    private var sessionPurpose: String { purpose("session at a browser") }

    /// A value for a cookie or an address, which this site opens for the same purpose alone.
    func encrypted(_ value: some Encodable, for purpose: String) throws -> String {
        try EncryptedValue.encrypt(value, for: purpose, with: keys, random: random)
    }

    func decrypted<Value: Decodable>(_ text: String, as type: Value.Type = Value.self, for purpose: String) -> Value? {
        try? EncryptedValue.decrypt(text, as: type, for: purpose, with: keys)
    }

    func hash(_ secret: String) -> String { Array(SHA256.hash(data: Array(secret.utf8))).hexadecimal }

    /// The cookies of a request that can be this site's. Of two with the same name, the one that is encrypted for this origin.
    func receivedCookies(of request: HTTPRequest) -> ReceivedCookies {
        ReceivedCookies(request, namesBeginningWith: cookies.prefix) { name, value in
            let use =
                switch name {
                case cookies.session: sessionPurpose
                case cookies.entry: purpose(Self.entryPurpose)
                case cookies.report: purpose(Self.reportPurpose)
                default: purpose(PendingSignIn.purpose)
                }
            return EncryptedValue.opens(value, for: use, with: keys)
        }
    }

    /// The cookies of a request without this site's own, for another program: with the session, it could be the person.
    package func cookiesOfOthers(in request: HTTPRequest) -> String {
        ReceivedCookies.text(of: request, withoutNamesBeginningWith: cookies.prefix)
    }

    /// The session in the request's cookie. A cookie that this site did not encrypt counts as no session, and so do two that
    /// it encrypted.
    ///
    /// The token store is not read: `tokenSession(of:)` does that.
    package func session(of request: HTTPRequest) -> WebSession? {
        let received = receivedCookies(of: request)
        if received.isAmbiguous {
            logger.warning(
                "A request has two cookies with the same name, so nobody is signed in",
                metadata: ["prefix": "\(cookies.prefix)"])
        }
        guard let text = received[cookies.session],
            var session = recentSessions.session(
                in: text, for: sessionPurpose, else: { decrypted($0, for: sessionPurpose) }),
            session.expiresAt > clock.now
        else { return nil }
        session.accounts.removeAll { expiry(of: $0) <= clock.now }
        return session.accounts.isEmpty ? nil : session
    }

    /// A later sign-in with another account does not extend it.
    func expiry(of account: WebAccount) -> Date { account.signedInAt.addingTimeInterval(sessionLifetime) }

    /// The tokens of an account; `nil` after a sign-out, even if an old cookie still contains it.
    ///
    /// - Throws: `TokenStoreError`; `OAuthError` if the tokens were issued to another registration.
    public func tokenSession(of account: WebAccount) async throws -> Session? {
        try await clients[account.provider]?.session(for: account.storeName)
    }

    /// The session of a request, with only those accounts whose tokens still exist. If the latest account has none, nobody is
    /// signed in: an earlier account, perhaps of another person, never takes its place.
    ///
    /// - Throws: `TokenStoreError`.
    public func liveSession(of request: HTTPRequest) async throws -> WebSession? {
        guard let session = session(of: request) else { return nil }
        let accounts = Array(zip(session.accounts, try await current(session.accounts)))
        guard var live = session.ending(accounts.filter { $0.1 == nil }.map(\.0)) else { return nil }
        live.accounts = accounts.filter { live.accounts.contains($0.0) }.compactMap(\.1)
        return live
    }

    /// Each account as `liveAccount` returns it, at the same time: a provider that hangs delays each of them.
    ///
    /// - Throws: `TokenStoreError`, once all are known.
    private func current(_ accounts: [WebAccount]) async throws -> [WebAccount?] {
        // Most browsers have one, which needs no task.
        guard accounts.count > 1 else { return [try await liveAccount(accounts[0])] }
        return try await withTaskGroup(of: (Int, Result<WebAccount?, any Error>).self) { group in
            for (index, account) in accounts.enumerated() {
                group.addTask {
                    do { return (index, .success(try await liveAccount(account))) } catch {
                        return (index, .failure(error))
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }.sorted { $0.key < $1.key }.map { try $0.value.get() }
    }

    /// The account with its current claims; `nil` if its session has ended.
    ///
    /// - Throws: `TokenStoreError`.
    private func liveAccount(_ account: WebAccount) async throws -> WebAccount? {
        do {
            return try await current(account)
        } catch let error where error.endsSession {
            return nil
        }
    }

    /// The account with its current claims, if the site keeps any; `nil` if it has no tokens, or was not used within the idle
    /// time. Notes that it is used.
    ///
    /// - Parameter asksProvider: Whether claims may be read again.
    /// - Throws: `TokenStoreError`; `OAuthError` if the session has ended, or the tokens were issued to another registration.
    func current(_ account: WebAccount, asksProvider: Bool = true) async throws -> WebAccount? {
        guard let client = clients[account.provider], try await !hasBeenIdle(account, at: client) else { return nil }
        if asksProvider, let claims { return try await claims.current(account, at: client) }
        return try await client.session(for: account.storeName).map { _ in account }
    }

    /// Whether an account was not used for so long that it is signed out now; otherwise, notes that it is used.
    private func hasBeenIdle(_ account: WebAccount, at client: OAuthClient) async throws -> Bool {
        guard let idleTime, let (session, connection) = try await client.current(account.storeName),
            let note = connection.browser
        else { return false }
        let now = clock.now
        let unused = now.timeIntervalSince(note.seenAt ?? note.signedInAt)
        guard unused < idleTime else {
            _ = try await session.signOut()
            return true
        }
        // Not for each request: a write costs more than a decision. Without it, the session ends early.
        if unused >= idleTime / 10 { try? await session.note(seenAt: now) }
        return false
    }

    /// - Returns: `nil` if it is too large for a browser to keep.
    func sessionCookie(_ accounts: [WebAccount]) throws -> String? {
        let session = WebSession(
            id: randomName(bytes: 12), accounts: accounts, expiresAt: clock.now.addingTimeInterval(sessionLifetime))
        return cookies.cookie(
            cookies.session, try encrypted(session, for: sessionPurpose), seconds: Int(sessionLifetime))
    }
}

extension Error {
    /// Whether an account with this error is not signed in: a record that no key opens belongs to no usable session.
    var endsSession: Bool { self is OAuthError || (self as? TokenStoreError)?.kind == .unreadable }
}
