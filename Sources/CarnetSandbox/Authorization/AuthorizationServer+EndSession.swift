import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension AuthorizationServer {
    /// The end of the session (OpenID Connect RP-Initiated Logout, section 2).
    mutating func endSession(_ request: ServerRequest) -> Reply {
        guard request.method == .get || request.method == .post, let url = endpoints[.endSession] else {
            return .methodNotAllowed(request.method, allowed: "GET, POST")
        }
        do throws(OAuthError) {
            let received =
                request.method == .post
                ? try TokenRequestBody(request, endpoint: url).parameters : try request.query(beyond: url)
            let names = ParameterNames(provider.logout.request)
            try received.check(names, added: provider.logout.request.parameters)
            let frame = try endSession(namedBy: received[names["id_token_hint"]])
            guard let target = received[names["post_logout_redirect_uri"]] else { return signedOut(frame, wayOn: nil) }
            let registered = try clientsThatSignOut(received, names).flatMap(\.postLogoutRedirectURIs)
            guard registered.contains(where: { $0.isSameBytes(as: target) }) else {
                throw .invalidRequest(
                    "\(target) is not a registered post-logout redirect URI; registered: "
                        + registered.joined(separator: ", "))
            }
            let separator = target.contains("?") ? "&" : "?"
            let state = received[names["state"]].map { PercentEncoding.encode([(name: names["state"], value: $0)]) }
            let wayOn = target + (state.map { separator + $0 } ?? "")
            // A page in a frame is loaded by the browser, so that the browser stays until it is.
            return frame == nil ? .redirect(to: wayOn) : signedOut(frame, wayOn: wayOn)
        } catch {
            let problem: HTML = "<p role=\"alert\">\(error.description)</p>"
            return .html("\(provider.name) cannot sign you out", problem, status: .badRequest)
        }
    }

    private func signedOut(_ frame: String?, wayOn: String?) -> Reply {
        let content: HTML = """
            <p>You are signed out.</p>\
            \(frame.map { "\n<iframe src=\"\($0)\" title=\"Signing out\"></iframe>" })\
            \(wayOn.map { "\n<p><a href=\"\($0)\">Continue</a></p>" })
            """
        let origin = frame.flatMap { try? WebURL($0).origin }
        return .html("Signed out", content, provider.display.color, framing: origin)
    }

    /// The client, by its id or by an ID token that was issued to it. If both are sent, they must agree. A provider that
    /// takes no id returns the browser to any client's URI.
    private func clientsThatSignOut(
        _ received: ReceivedParameters, _ names: ParameterNames
    ) throws(OAuthError) -> [SandboxClient] {
        let named = received[names["client_id"]]
        let hinted = received[names["id_token_hint"]].map { hint in
            let audience = JSONWebToken.claims(of: hint)?["aud"]
            return audience?.array?.compactMap(\.string) ?? [audience?.string ?? ""]
        }
        if let named, hinted?.contains(where: named.isSameBytes) == false {
            throw .invalidRequest("the ID token was not issued to the client \(named)")
        }
        let ofHint = hinted?.first { audience in clients.contains { $0.clientID.isSameBytes(as: audience) } }
        guard let id = named ?? ofHint ?? hinted?.first else {
            if names.omits("client_id") { return clients }
            throw .invalidRequest("neither \(names["id_token_hint"]) nor \(names["client_id"]) identifies the client")
        }
        guard let client = client(id) else { throw .invalidRequest("there is no client \"\(id)\"") }
        return [client]
    }
}
