public import Carnet
public import HTTPTypes

extension WebSignIn {
    /// What a request gets that is for signed-in browsers alone: the page of providers, which leads back; a 401 where no
    /// page is wanted.
    public func signInFirst(_ request: HTTPRequest) -> WebReply {
        guard request.method == .get, request.headerFields[.accept]?.contains("text/html") ?? false else {
            return WebReply(HTTPResponse(status: .unauthorized, headerFields: [.cacheControl: "no-store"]))
        }
        return .redirect(to: signInPath(returningTo: ReturnTarget(request.path ?? "/") ?? .home))
    }

    /// The page for what went wrong with an account's tokens in a route of the host: as the sign-in's own pages, with a
    /// reference that the log has too.
    ///
    /// - Parameter returnTo: Where a new sign-in leads.
    public func problem(
        _ error: any Error, of account: WebAccount, in request: HTTPRequest, returnTo: ReturnTarget = .home
    ) -> WebReply {
        guard let client = clients[account.provider] else { return signInFirst(request) }
        var session = session(of: request)
        if (error as? OAuthError)?.disposition == .signInAgain { session?.accounts.removeAll { $0 == account } }
        return show(problem(error, client, returnTo), to: session?.accounts.isEmpty == true ? nil : session)
    }
}
