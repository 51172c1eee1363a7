public import HTTPTypes

/// An HTTP response as plain values, for any server to send.
public struct WebReply: Sendable {
    public var head: HTTPResponse
    public var body: String

    package init(_ head: HTTPResponse, body: String = "") {
        self.head = head
        self.body = body
    }

    /// It is not cached, and no other site learns the URL.
    private init(_ status: HTTPResponse.Status, _ fields: KeyValuePairs<HTTPField.Name, String>, body: String = "") {
        var all: HTTPFields = [.cacheControl: "no-store", .xContentTypeOptions: "nosniff"]
        if let name = HTTPField.Name("Referrer-Policy") { all[name] = "same-origin" }
        for (name, value) in fields { all[name] = value }
        self.init(HTTPResponse(status: status, headerFields: all), body: body)
    }

    /// A redirect after which the browser sends a GET (RFC 9110, section 15.4.4).
    package static func redirect(to location: String) -> WebReply { WebReply(.seeOther, [.location: location]) }

    /// A redirect of a page that was requested by GET.
    package static func found(_ location: String) -> WebReply { WebReply(.found, [.location: location]) }

    /// A refusal of a request that is for another site. It shows nothing of this one but its address.
    static func misdirected(to origin: String) -> WebReply {
        WebReply(.misdirectedRequest, [.contentType: "text/plain; charset=utf-8"], body: "Open \(origin) instead.\n")
    }

    /// A page for one user.
    package static func html(_ page: String, status: HTTPResponse.Status = .ok, policy: String) -> WebReply {
        WebReply(status, [.contentType: "text/html; charset=utf-8", .contentSecurityPolicy: policy], body: page)
    }

    /// The same for an address that brought a credential: no other page learns it.
    package func severed() -> WebReply {
        var reply = self
        for (name, value) in [("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin")] {
            if let name = HTTPField.Name(name) { reply.head.headerFields[name] = value }
        }
        return reply
    }

    package mutating func set(_ cookies: [String]) {
        for cookie in cookies { head.headerFields.append(HTTPField(name: .setCookie, value: cookie)) }
    }
}
