import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// A sign-in that has begun: what the tests of the later steps start from.
struct Attempt {
    static let now = Date(timeIntervalSince1970: 1_767_225_600)
    static let redirectURI = "com.example.app:/callback"

    let provider: FilledProvider
    let registration: ClientRegistration
    let request: AuthorizationRequest

    init(
        _ yaml: String = Fixture.openID,
        clientID: String = "client",
        secret: String? = nil,
        redirectURI: String = Self.redirectURI,
        options: AuthorizationOptions = AuthorizationOptions(),
        seed: UInt64 = 1
    ) throws {
        provider = try Fixture.provider(yaml)
        registration = ClientRegistration(
            clientID: clientID,
            credentials: secret.map { .secret(Secret($0)) } ?? .publicClient,
            redirectURI: redirectURI
        )
        request = try AuthorizationRequest(
            to: provider.discovered,
            as: registration,
            options: options,
            random: SeededRandomSource(seed: seed),
            now: Self.now
        )
    }

    var pending: PendingAuthorization { request.pending }
    var state: String { pending.id.reveal() }

    /// The query of the authorization URL, decoded.
    var sent: [String: String] { decodedForm(request.url.split(separator: "?").dropFirst().joined(separator: "?")) }

    func callback(_ query: String, at location: String? = nil) -> AuthorizationCallback {
        AuthorizationCallback(url: "\(location ?? pending.redirectURI)?\(query)")
    }

    @discardableResult
    func validate(
        _ query: String,
        at location: String? = nil,
        after seconds: TimeInterval = 1
    ) throws -> ValidatedCallback {
        try pending.validate(callback(query, at: location), from: provider.discovered, now: Self.now + seconds)
    }

    func exchange(code: String = "the-code") throws -> PreparedRequest {
        let validated = try validate("state=\(state)&code=\(percentEncoded(code))")
        return try TokenRequest.authorizationCode(validated, at: provider, as: registration)
    }
}

/// Percent-encoding by other means than the code under test.
func percentEncoded(_ text: String) -> String {
    text.utf8.map { String(format: "%%%02X", $0) }.joined()
}

/// Reads form text by other means than the code under test; a repeated name gives both values, joined.
func decodedForm(_ text: String) -> [String: String] {
    var parameters: [String: String] = [:]
    for pair in text.components(separatedBy: "&") where !pair.isEmpty {
        let parts = pair.components(separatedBy: "=")
        let value = parts.dropFirst().joined(separator: "=").replacingOccurrences(of: "+", with: " ")
        let decoded = value.removingPercentEncoding ?? "(undecodable)"
        parameters[parts[0]] = parameters[parts[0]].map { $0 + "|" + decoded } ?? decoded
    }
    return parameters
}

extension PreparedRequest {
    var bodyText: String { String(decoding: outgoing.body, as: UTF8.self) }
    var form: [String: String] { decodedForm(bodyText) }
    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { outgoing.head.headerFields[$0] } }
}

extension IncomingResponse {
    static func empty(status: Int, header: (HTTPField.Name, String)? = nil) -> IncomingResponse {
        var head = HTTPResponse(status: .init(code: status))
        if let (name, value) = header { head.headerFields[name] = value }
        return IncomingResponse(head: head)
    }
}

/// Values that a careless encoder corrupts.
let awkwardValues = [
    "a+b", "a&b=c", "a=b", "100%", "%2B", "a b", "é", "日本", "a;b", "a/b?c#d", "\"quoted\"", "back\\slash", "🗝",
]
