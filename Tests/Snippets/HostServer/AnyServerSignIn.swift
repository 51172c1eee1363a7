import CarnetWeb
import HTTPTypes

/// Sign-in for a server of any framework.
struct AnyServerSignIn {
    let web: WebSignIn

    /// What to send for a request; `nil` if it is for the site's own routes.
    func answer(
        _ method: String, _ target: String, _ headers: [(name: String, value: String)],
        body: () async throws -> [UInt8]
    ) async throws -> WebReply? {
        guard let method = HTTPRequest.Method(rawValue: method) else { return nil }
        var head = HTTPRequest(method: method, scheme: nil, authority: nil, path: target)
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
        }
        guard web.handles(head) else { return nil }
        return await web.respond(to: head, body: try await body())
    }
}
