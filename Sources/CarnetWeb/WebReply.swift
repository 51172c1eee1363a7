public import HTTPTypes

/// An HTTP response as plain values, for any server to send.
public struct WebReply: Sendable {
    public var head: HTTPResponse
    public var body: String

    package init(_ head: HTTPResponse, body: String = "") {
        self.head = head
        self.body = body
    }

    /// A redirect after which the browser sends a GET (RFC 9110, section 15.4.4).
    package static func redirect(to location: String) -> WebReply {
        WebReply(HTTPResponse(status: .seeOther, headerFields: privateHeaders + [.location: location]))
    }

    /// A redirect of a page that was requested by GET.
    package static func found(_ location: String) -> WebReply {
        WebReply(HTTPResponse(status: .found, headerFields: privateHeaders + [.location: location]))
    }

    /// A refusal of a request that is for another site. It shows nothing of this one but its address.
    static func misdirected(to origin: String) -> WebReply {
        var fields = privateHeaders
        fields[.contentType] = "text/plain; charset=utf-8"
        return WebReply(
            HTTPResponse(status: .misdirectedRequest, headerFields: fields), body: "Open \(origin) instead.\n")
    }

    /// A page for one user: it is not cached, and no other site learns its URL.
    package static func html(_ page: String, status: HTTPResponse.Status = .ok, policy: String) -> WebReply {
        var fields = privateHeaders
        fields[.contentType] = "text/html; charset=utf-8"
        fields[.contentSecurityPolicy] = policy
        return WebReply(HTTPResponse(status: status, headerFields: fields), body: page)
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

    private static var privateHeaders: HTTPFields {
        var fields = HTTPFields()
        fields[.cacheControl] = "no-store"
        fields[.xContentTypeOptions] = "nosniff"
        if let name = HTTPField.Name("Referrer-Policy") { fields[name] = "same-origin" }
        return fields
    }
}

extension HTTPFields {
    static func + (fields: HTTPFields, added: [HTTPField.Name: String]) -> HTTPFields {
        var fields = fields
        for (name, value) in added { fields[name] = value }
        return fields
    }
}
