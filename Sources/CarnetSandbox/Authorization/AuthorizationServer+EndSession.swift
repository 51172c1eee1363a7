import CarnetDescriptors
import HTTPTypes

extension AuthorizationServer {
    /// The end of the session (OpenID Connect RP-Initiated Logout, section 2).
    mutating func endSession(_ request: ServerRequest) -> Reply {
        guard request.method.rawValue == provider.logout.method.rawValue, let url = endpoints[.endSession] else {
            return .methodNotAllowed(request.method, allowed: provider.logout.method.rawValue)
        }
        do throws(OAuthError) {
            let received =
                request.method == .post
                ? try TokenRequestBody(request, endpoint: url).parameters : try request.query(beyond: url)
            let names = ParameterNames(provider.logout)
            try received.check(names, added: provider.logout.parameters)
            try endSession(namedBy: received[names["id_token_hint"]])
            guard let target = received[names["post_logout_redirect_uri"]] else {
                return .html(
                    HTMLPage(
                        title: "Signed out", content: "<p>You are signed out.</p>", color: provider.display.color))
            }
            let client = try clientThatSignsOut(received, names)
            guard client.postLogoutRedirectURIs.contains(where: { $0.hasSameBytes(as: target) }) else {
                throw .invalidRequest(
                    "\(target) is not registered as a place to go after signing out; registered: "
                        + client.postLogoutRedirectURIs.joined(separator: ", "))
            }
            guard let state = received[names["state"]] else { return .redirect(to: target) }
            let separator = target.contains("?") ? "&" : "?"
            return .redirect(to: target + separator + PercentEncoding.encode([(name: names["state"], value: state)]))
        } catch {
            let problem = "<p role=\"alert\">\(HTMLPage.escape(error.description))</p>"
            return .html(
                HTMLPage(title: "\(provider.name) cannot sign you out", content: problem), status: .badRequest)
        }
    }

    /// The client, by its id or by an ID token that was issued to it; two answers must agree.
    private func clientThatSignsOut(
        _ received: ReceivedParameters, _ names: ParameterNames
    ) throws(OAuthError) -> SandboxClient {
        let named = received[names["client_id"]]
        let hinted = received[names["id_token_hint"]].map { JSONWebToken.claims(of: $0)?["aud"]?.string ?? "" }
        if let named, let hinted, !named.hasSameBytes(as: hinted) {
            throw .invalidRequest("the ID token was not issued to the client \(named)")
        }
        guard let id = named ?? hinted else {
            throw .invalidRequest("neither \(names["id_token_hint"]) nor \(names["client_id"]) says who asks")
        }
        guard let client = client(id) else { throw .invalidRequest("there is no client \"\(id)\"") }
        return client
    }
}
