import Carnet
import CarnetFoundation
import CarnetProtocol

/// Responds to the browser. It accepts a top-level GET of the redirect URI's path, and a POST of a form if the descriptor
/// requests one.
struct CallbackResponder: Sendable {
    let redirect: LoopbackRedirect
    let port: Int
    let inbox: CallbackInbox

    func response(to request: LoopbackRequest) -> LoopbackResponse {
        let query = request.target.utf8.firstIndex(of: UInt8(ascii: "?")).map {
            Substring(request.target.utf8[$0...].dropFirst())
        }
        let location = redirect.uri(port: port).prefix { $0 != "?" }
        let url = String(location) + (query.map { "?\($0)" } ?? "")
        let callback =
            request.method == "POST"
            ? AuthorizationCallback(postedTo: url, form: request.body) : AuthorizationCallback(url: url)
        if let (page, difference) = refusal(of: request) {
            if callback.isResponse, request.method != "HEAD", request.method != "OPTIONS" {
                inbox.ignore(callback.report(difference))
            }
            return page.response()
        }
        // Another user may know the state, from the arguments of a program, and send another code.
        guard inbox.takes(callback, unless: LoopbackPeer.isForeign(request.names)) else {
            if inbox.hasTaken(callback) { return (callback.hasError ? CallbackPage.declined : .received).response() }
            inbox.ignore(callback.report)
            return CallbackPage.refused.response()
        }
        // The browser gets its page before the port is closed. If the browser is gone, the callback still counts.
        var response = (callback.hasError ? CallbackPage.declined : .received).response()
        response.whenSent = { [inbox] in inbox.deliver(callback) }
        return response
    }

    /// The page for a request that is no callback, and what it has instead.
    private func refusal(of request: LoopbackRequest) -> (page: CallbackPage, difference: String)? {
        let hosts = request.values("host")
        let expected = redirect.hostHeaders(port: port)
        guard hosts.count == 1, expected.containsBytes(of: hosts[0].lowercased()) else {
            let shown = hosts.map { $0.quotable(limit: 80) }.joined(separator: ", ")
            return (.badRequest, "at the host \(shown) instead of \(expected.first ?? "")")
        }
        let path = String(request.target.prefix { $0 != "?" })
        guard path.isSameBytes(as: redirect.path) else {
            return (.notFound, "at \(path.quotable(limit: 80)) instead of \(redirect.path)")
        }
        guard request.method == "GET" || (request.method == "POST" && redirect.takesForms) else {
            return (.methodNotAllowed, "with the method \(request.method.quotable(limit: 20)) instead of GET")
        }
        if request.method == "POST" {
            let types = request.values("content-type")
            guard types.count == 1, PercentEncoding.isForm(types[0]) else {
                return (.badRequest, "as \(types.first?.quotable(limit: 80) ?? "nothing") instead of a form")
            }
        }
        // The request comes from a script or a frame of another page, not from the authorization server's redirect.
        guard Self.isAbsent(request.values("sec-fetch-mode"), or: "navigate"),
            Self.isAbsent(request.values("sec-fetch-dest"), or: "document")
        else { return (.badRequest, "from a script or a frame of a page") }
        return nil
    }

    private static func isAbsent(_ values: [String], or expected: String) -> Bool {
        values.allSatisfy { $0.lowercased() == expected }
    }
}
