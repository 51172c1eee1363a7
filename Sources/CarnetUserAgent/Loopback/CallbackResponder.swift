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
        if let page = refusal(of: request) { return page.response() }
        let query = request.target.utf8.firstIndex(of: UInt8(ascii: "?")).map {
            Substring(request.target.utf8[$0...].dropFirst())
        }
        let location = redirect.uri(port: port).prefix { $0 != "?" }
        let url = String(location) + (query.map { "?\($0)" } ?? "")
        let form = redirect.takesForms ? request.body : ""
        let callback =
            request.method == "POST"
            ? AuthorizationCallback(postedTo: url, form: form) : AuthorizationCallback(url: url)
        // Another user may know the state, from the arguments of a program, and send another code.
        guard inbox.takes(callback, unless: LoopbackPeer.isForeign(request.names)) else {
            // A page that the person opens by hand has no parameters, and says nothing.
            if query?.isEmpty == false || !form.isEmpty { inbox.ignore(callback.report) }
            return CallbackPage.refused.response()
        }
        // The browser gets its page before the port is closed. If the browser is gone, the callback still counts.
        let hasError = Self.hasError(query ?? "") || Self.hasError(form[...])
        var response = (hasError ? CallbackPage.declined : .received).response()
        response.whenSent = { [inbox] in inbox.deliver(callback) }
        return response
    }

    private func refusal(of request: LoopbackRequest) -> CallbackPage? {
        let hosts = request.values("host")
        guard hosts.count == 1, redirect.hostHeaders(port: port).containsBytes(of: hosts[0].lowercased()) else {
            return .badRequest
        }
        guard request.target.utf8.prefix(while: { $0 != UInt8(ascii: "?") }).elementsEqual(redirect.path.utf8) else {
            return .notFound
        }
        guard request.method == "GET" || (request.method == "POST" && redirect.takesForms) else {
            return .methodNotAllowed
        }
        if request.method == "POST" {
            let types = request.values("content-type")
            guard types.count == 1, PercentEncoding.isForm(types[0]) else { return .badRequest }
        }
        // The request comes from a script or a frame of another page, not from the authorization server's redirect.
        guard Self.isAbsent(request.values("sec-fetch-mode"), or: "navigate"),
            Self.isAbsent(request.values("sec-fetch-dest"), or: "document")
        else { return .badRequest }
        return nil
    }

    private static func isAbsent(_ values: [String], or expected: String) -> Bool {
        values.allSatisfy { $0.lowercased() == expected }
    }

    private static func hasError(_ query: Substring) -> Bool {
        query.split(separator: "&").contains { $0 == "error" || $0.hasPrefix("error=") }
    }
}
