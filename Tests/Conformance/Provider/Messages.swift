import Foundation

/// An HTTP request as the provider receives it.
package struct Request: Sendable {
    package var method: String
    package var url: String
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// The client certificate of the TLS handshake, as DER.
    package var certificate: [UInt8]?

    package init(
        _ method: String, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        certificate: [UInt8]? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.certificate = certificate
    }

    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    var origin: String {
        let scheme = url.range(of: "://").map { String(url[..<$0.upperBound]) } ?? ""
        return scheme + String(url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" })
    }

    var path: String { String(url.dropFirst(origin.count).prefix { $0 != "?" }) }

    /// The URL without its query, as DPoP's `htu` (RFC 9449, section 4.2).
    var target: String { origin + path }

    var query: Parameters { Parameters(encoded: url.dropFirst(target.count).drop { $0 == "?" }) }

    var form: Parameters { Parameters(encoded: String(decoding: body, as: UTF8.self)) }
}

/// An HTTP response of the provider.
package struct Reply: Sendable {
    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    static func json(_ members: Members, status: Int = 200, headers: [(name: String, value: String)] = []) -> Reply {
        Reply(
            status: status,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")] + headers,
            body: JSON.bytes(members))
    }
}

/// The response that a browser carries from the provider's page to the client.
package enum BrowserResponse: Sendable {
    case redirect(String)
    /// A form that the page posts by itself (OAuth 2.0 Form Post Response Mode).
    case post(String, form: String)
    /// A page of the provider: it sends the browser nowhere.
    case page(String)
}

/// One request that the provider received, and the rules that it broke.
package struct Exchange: Sendable {
    package enum Endpoint: String, Sendable {
        case metadata, keys, registration, pushedAuthorization, authorization, token, userinfo, resource, logout
        case unknown
    }

    package let endpoint: Endpoint
    package let request: Request
    package var violations: [String] = []
}

/// A request that the provider rejects.
struct Rejection: Error {
    var reply: Reply
    /// The rule that the request broke; `nil` if the rejection is part of the protocol, such as a DPoP nonce.
    var violation: String?

    init(_ violation: String, _ error: String = "invalid_request", status: Int = 400) {
        reply = .json(["error": error, "error_description": violation], status: status)
        self.violation = violation
    }

    init(reply: Reply) {
        self.reply = reply
    }
}

/// - Throws: `Rejection` if the rule is broken.
func require(
    _ isKept: Bool, _ violation: @autoclosure () -> String, _ error: String = "invalid_request", status: Int = 400
) throws {
    guard isKept else { throw Rejection(violation(), error, status: status) }
}

/// - Throws: `Rejection` if the value is missing.
func require<Value>(
    _ value: Value?, _ violation: @autoclosure () -> String, _ error: String = "invalid_request", status: Int = 400
) throws -> Value {
    guard let value else { throw Rejection(violation(), error, status: status) }
    return value
}
