import Carnet
public import HTTPTypes

extension WebSignIn {
    /// The reply for a browser that is not signed in: a redirect to the page of providers, which leads back after the
    /// sign-in. A request that does not accept HTML gets a 401.
    public func signInFirst(_ request: HTTPRequest) -> WebReply {
        guard [.get, .head].contains(request.method), wantsPage(request) else {
            return WebReply(HTTPResponse(status: .unauthorized, headerFields: [.cacheControl: "no-store"]))
        }
        return .redirect(to: signInPath(returningTo: page(of: request)))
    }

    /// The page that a request is for. A form's path is none.
    private func page(of request: HTTPRequest) -> ReturnTarget {
        guard [.get, .head].contains(request.method) else { return .home }
        return request.path.flatMap { ReturnTarget($0) } ?? .home
    }

    private func wantsPage(_ request: HTTPRequest) -> Bool {
        request.headerFields[.accept]?.contains("text/html") ?? false
    }

    /// The page for an error with an account's tokens in a route of the host. It looks like the sign-in's own pages,
    /// and the log has the cause with the same reference. A request that does not accept HTML gets plain text, with 401
    /// if the user has to sign in again.
    ///
    /// - Parameters:
    ///   - account: The account; `nil` for the latest of the session.
    ///   - path: The path after a new sign-in; by default the path of the request, or `/` after a `POST`. Any value that is not a
    ///     path of the site counts as `/`.
    public func problem(
        _ error: any Error, of account: WebAccount? = nil, in request: HTTPRequest, returnTo path: String? = nil
    ) -> WebReply {
        var session = session(of: request)
        guard let account = account ?? session?.account(), let client = clients[account.provider] else {
            return signInFirst(request)
        }
        let isOver = (error as? OAuthError)?.disposition == .signInAgain
        if isOver { session = session?.ending([account]) }
        let problem = problem(error, client, path.map { ReturnTarget($0) ?? .home } ?? page(of: request))
        var reply = show(problem, to: session)
        if !wantsPage(request) {
            if isOver { reply.head.status = .unauthorized }
            reply.head.headerFields[.contentType] = "text/plain; charset=utf-8"
            reply.body = "\(problem.title). \(problem.advice)\nReference: \(problem.id)\n"
        }
        if request.method == .head { reply.body = "" }
        return reply
    }
}
