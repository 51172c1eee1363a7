import Carnet
import CarnetFoundation
package import HTTPTypes

/// What happens to sessions, for an operator's log.
package enum SessionEvent: Sendable {
    case signedIn(WebAccount)
    /// By a form, in one browser.
    case signedOut(WebAccount)
    /// By the provider's own logout.
    case endedByProvider(ProviderID, sessions: Int)
}

extension WebSignIn {
    /// The session of a request for a page that says who is signed in: without what has ended. If the store does
    /// not work, it is as the cookie says, because nobody knows that it has ended.
    package func shownSession(of request: HTTPRequest) async -> WebSession? {
        guard let session = session(of: request) else { return nil }
        var ended: [WebAccount] = []
        for account in session.accounts {
            do {
                if try await current(account, asksProvider: false) == nil { ended.append(account) }
            } catch let error where error.endsSession {
                ended.append(account)
            } catch {}
        }
        return session.ending(ended)
    }
}
