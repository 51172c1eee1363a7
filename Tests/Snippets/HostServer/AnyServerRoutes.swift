import CarnetWeb
import HTTPTypes

extension AnyServerSignIn {
    /// The reply for a protected route: `nil` if somebody is signed in, otherwise the page to send instead.
    func gate(_ head: HTTPRequest) async -> (session: WebSession?, reply: WebReply?) {
        do {
            guard let session = try await web.liveSession(of: head) else { return (nil, web.signInFirst(head)) }
            return (session, nil)
        } catch {
            let back = ReturnTarget(head.path ?? "/") ?? .home
            return (nil, web.problem(error, in: head, returnTo: back))
        }
    }

    /// Calls an API for the account that signed in last.
    func profile(of session: WebSession) async throws -> Profile? {
        guard let account = session.account() else { return nil }
        return try await web.connection(of: account)?.profile()
    }
}
