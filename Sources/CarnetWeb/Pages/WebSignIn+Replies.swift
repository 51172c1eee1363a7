import Carnet
public import HTTPTypes

extension WebSignIn {
    /// The reply for a browser that is not signed in: the page of providers, which leads back; a 401 if the request
    /// is not for a page.
    public func signInFirst(_ request: HTTPRequest) -> WebReply {
        guard request.method == .get, request.headerFields[.accept]?.contains("text/html") ?? false else {
            return WebReply(HTTPResponse(status: .unauthorized, headerFields: [.cacheControl: "no-store"]))
        }
        return .redirect(to: signInPath(returningTo: ReturnTarget(request.path ?? "/") ?? .home))
    }

    /// The page for an error with an account's tokens in a route of the host. It looks as the sign-in's own pages,
    /// and its reference is also in the log.
    ///
    /// - Parameters:
    ///   - account: The account; `nil` for the latest of the session.
    ///   - returnTo: The path after a new sign-in.
    public func problem(
        _ error: any Error, of account: WebAccount? = nil, in request: HTTPRequest, returnTo: ReturnTarget = .home
    ) -> WebReply {
        var session = session(of: request)
        guard let account = account ?? session?.account(), let client = clients[account.provider] else {
            return signInFirst(request)
        }
        if (error as? OAuthError)?.disposition == .signInAgain { session?.accounts.removeAll { $0 == account } }
        return show(problem(error, client, returnTo), to: session?.accounts.isEmpty == true ? nil : session)
    }
}
