import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

/// A response of the sandbox.
struct Reply {
    var status: HTTPResponse.Status
    var headers: HTTPFields
    var body: [UInt8]

    init(_ status: HTTPResponse.Status, _ headers: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok, _ headers: HTTPFields = [:]) -> Self {
        var reply = Self(status, headers, body: Array(value.jsonText(.indented).utf8))
        reply.headers[.contentType] = "application/json"
        reply.headers[.cacheControl] = "no-store"
        return reply
    }

    static func form(_ value: JSONValue, status: HTTPResponse.Status = .ok, _ headers: HTTPFields = [:]) -> Self {
        let pairs = (value.object?.members ?? []).compactMap { member in
            member.value.scalarText.map { (name: member.name, value: $0) }
        }
        var reply = Self(status, headers, body: Array(PercentEncoding.encode(pairs).utf8))
        reply.headers[.contentType] = "application/x-www-form-urlencoded"
        reply.headers[.cacheControl] = "no-store"
        return reply
    }

    /// A value in the format of a descriptor. What the descriptor says for itself is not said by the content type.
    static func value(
        _ value: JSONValue, as format: ResponseFormat, status: HTTPResponse.Status = .ok, _ headers: HTTPFields = [:]
    ) -> Self {
        var reply = format == .form ? form(value, status: status, headers) : json(value, status: status, headers)
        switch format {
        case .auto: break
        case .json, .form: reply.headers[.contentType] = "text/html; charset=utf-8"
        case .jsonp:
            reply.body = Array("callback( \(value.jsonText()) );\n".utf8)
            reply.headers[.contentType] = "text/javascript"
        case .guarded:
            reply.body = Array("&&&START&&&\(value.jsonText())".utf8)
            reply.headers[.contentType] = "text/html; charset=utf-8"
        }
        return reply
    }

    static func html(_ page: HTMLPage, status: HTTPResponse.Status = .ok) -> Self {
        var reply = Self(status, body: Array(page.html.text.utf8))
        reply.headers[.contentType] = "text/html; charset=utf-8"
        reply.headers[.cacheControl] = "no-store"
        reply.headers[.contentSecurityPolicy] = page.contentSecurityPolicy
        reply.headers[.xContentTypeOptions] = "nosniff"
        return reply
    }

    /// - Parameter location: A URI that is already encoded.
    static func redirect(to location: String, status: HTTPResponse.Status = .found) -> Self {
        Self(status, [.location: location, .cacheControl: "no-store"])
    }

    static func methodNotAllowed(_ method: HTTPRequest.Method, allowed: String) -> Self {
        .json(
            ["error": "invalid_request", "error_description": .string("\(method.rawValue) is not \(allowed)")],
            status: .methodNotAllowed,
            [.allow: allowed]
        )
    }
}

extension Reply {
    /// The reply with the provider's own status for success.
    func succeeding(as rules: SuccessRules) -> Reply {
        guard status == .ok, let own = rules.statuses.first else { return self }
        var reply = self
        reply.status = HTTPResponse.Status(code: own.code)
        return reply
    }
}
