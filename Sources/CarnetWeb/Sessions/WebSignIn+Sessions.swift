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
            id: newID() + newID(), accounts: accounts, expiresAt: clock.now.addingTimeInterval(sessionLifetime))
        let sealed = try SealedValue.seal(session, for: Self.sessionPurpose, with: keys, random: random)
        return cookies.cookie(cookies.session, sealed, seconds: Int(sessionLifetime))
    }

    /// Signs out the account of the form's `connection`, or all, as far as its `extent` says: `local`, `revoke` or
    /// `everywhere`.
    func signOut(_ request: HTTPRequest, _ form: String) async -> WebReply {
        guard isOwnPage(request), let fields = PercentEncoding.decodeForm(form) else {
            return show(refusedForm(returnTo: .home))
        }
        func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
        let returnTo = field("return_to").flatMap { ReturnTarget($0) } ?? .home
        let extent = ["revoke": SignOut.revoke, "everywhere": .everywhere][field("extent") ?? ""] ?? .local
        let accounts = session(of: request)?.accounts ?? []
        let named = field("connection")
        let leaving = accounts.filter { named == nil || $0.connection == named }
        let staying = accounts.filter { !leaving.contains($0) }
        var location = returnTo.path
        do {
            for account in leaving {
                guard let outcome = try await connection(of: account)?.signOut(extent) else { continue }
                for failure in outcome.failures {
                    logger.notice("Sign-out at the provider failed", metadata: ["cause": "\(failure)"])
                }
                if let page = outcome.endSessionURL { location = page.reveal() }
            }
            var reply = WebReply.redirect(to: location)
            reply.set([staying.isEmpty ? cookies.removal(cookies.session) : try sessionCookie(staying)])
            return reply
        } catch {
            return show(
                SignInProblem(
                    status: .serviceUnavailable, "Signing out did not work",
                    advice: "The tokens could not be removed. You are still signed in; try again in a moment.",
                    returnTo: returnTo, id: newID(), cause: error as? OAuthError))
        }
    }
}
