import CarnetDescriptors
import HTTPTypes

extension Sandbox {
    /// Plays the browser and the person: opens an authorization URL, allows everything, and returns the callback URL.
    ///
    /// - Throws: `SandboxRefusal` with the text of the page if there is no callback; `WebURLError`.
    public func approve(authorizationURL: String) async throws -> String {
        let url = try WebURL(authorizationURL)
        var request = HTTPRequest(method: .get, scheme: url.scheme, authority: url.authority, path: url.target)
        var (response, body) = await respond(to: request, body: [])
        var page = String(decoding: body, as: UTF8.self)
        if response.status == .ok, let ticket = HTMLPage.value(of: "ticket", in: page) {
            var answer = [(name: "ticket", value: ticket), ("user", "0"), ("decision", "allow")]
            answer += askedScopes(onPageWith: ticket).map { ("scope", $0) }
            request.method = .post
            request.headerFields[.contentType] = "application/x-www-form-urlencoded"
            (response, body) = await respond(to: request, body: Array(PercentEncoding.encode(answer).utf8))
            page = String(decoding: body, as: UTF8.self)
        }
        guard response.status.kind == .redirection, let location = response.headerFields[.location] else {
            throw SandboxRefusal(status: response.status.code, text: HTMLPage.text(of: page))
        }
        return location
    }
}

/// The sandbox showed a page where a redirect to the client was wanted.
public struct SandboxRefusal: Error, Sendable, CustomStringConvertible {
    public let status: Int
    /// What the page says.
    public let text: String

    public var description: String { "the sandbox answered \(status): \(text)" }
}
