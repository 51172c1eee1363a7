public import Carnet
import CarnetStorage
import Foundation
public import HTTPTypes
import Logging

extension WebSignIn {
    private static let sessionPurpose = "session at a browser"

    /// Who the request's cookie says is signed in. Any cookie that was not sealed here is no session at all.
    ///
    /// It does not look into the token store: `connection(of:)` does.
    public func session(of request: HTTPRequest) -> WebSession? {
        guard let text = ReceivedCookies(request)[cookies.session],
            let session = try? SealedValue.open(text, as: WebSession.self, for: Self.sessionPurpose, with: keys),
            session.expiresAt > clock.now, !session.accounts.isEmpty
        else { return nil }
        return session
    }

    /// The tokens of an account; `nil` after a sign-out, even if an old cookie still names it.
    ///
    /// - Throws: `TokenStoreError`; `OAuthError` if the tokens were issued to another registration.
    public func connection(of account: WebAccount) async throws -> Session? {
        try await clients[account.provider]?.session(for: account.connection)
    }

    /// The session of a request, with the accounts alone whose tokens are still there.
    ///
    /// - Throws: `TokenStoreError`.
    public func liveSession(of request: HTTPRequest) async throws -> WebSession? {
        guard var session = session(of: request) else { return nil }
        var live: [WebAccount] = []
        for account in session.accounts {
            do {
                if try await connection(of: account) != nil { live.append(account) }
            } catch is OAuthError {
                continue
            }
        }
        session.accounts = live
        return live.isEmpty ? nil : session
    }

    func sessionCookie(_ accounts: [WebAccount]) throws -> String {
        let session = WebSession(
            id: randomName(bytes: 12), accounts: accounts, expiresAt: clock.now.addingTimeInterval(sessionLifetime))
        let sealed = try SealedValue.seal(session, for: Self.sessionPurpose, with: keys, random: random)
        return cookies.cookie(cookies.session, sealed, seconds: Int(sessionLifetime))
    }
}
