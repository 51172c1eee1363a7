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

    init(_ status: HTTPResponse.Status, _ headers: HTTPFields = [:], type: String, _ text: String) {
        self.init(status, headers, body: Array(text.utf8))
        self.headers[.contentType] = type
        self.headers[.cacheControl] = "no-store"
    }

    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok, _ headers: HTTPFields = [:]) -> Self {
        Self(status, headers, type: "application/json", value.jsonText(.indented))
    }

    static let serverError = Self.json(["error": "server_error"], status: .internalServerError)

    static func form(_ value: JSONValue, status: HTTPResponse.Status = .ok, _ headers: HTTPFields = [:]) -> Self {
        let pairs = (value.object?.members ?? []).compactMap { member in
            member.value.scalarText.map { (name: member.name, value: $0) }
        }
        return Self(status, headers, type: "application/x-www-form-urlencoded", PercentEncoding.encode(pairs))
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

    /// A small page that needs no script.
    ///
    /// - Parameters:
    ///   - color: The colour of the provider's brand.
    ///   - origin: The origin of the page that this one shows in a frame.
    static func html(
        _ title: String, _ content: HTML, _ color: BrandColor? = nil, framing origin: String? = nil,
        status: HTTPResponse.Status = .ok
    ) -> Self {
        let style = HTMLPage.style(color)
        let page = HTML.page(title, head: "<style>\(style)</style>", content)
        var reply = Self(status, type: "text/html; charset=utf-8", page.text)
        reply.headers[.contentSecurityPolicy] = HTMLPage.contentSecurityPolicy(style, framing: origin)
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
            status: .methodNotAllowed, [.allow: allowed])
    }

    /// The reply with the provider's own status for success.
    func succeeding(as rules: SuccessRules) -> Reply {
        var reply = self
        if status == .ok { reply.status = rules.status }
        return reply
    }
}

extension SuccessRules {
    /// The provider's status for success.
    var status: HTTPResponse.Status { statuses.first.map { HTTPResponse.Status(code: $0.code) } ?? .ok }
}
