import CarnetDescriptors
public import CarnetFoundation

/// A server's own `error`, `error_description` and `error_uri` (RFC 6749, sections 4.1.2.1 and 5.2).
///
/// The strings are untrusted. They are truncated, control characters become spaces so that they cannot forge a log
/// line or control a terminal, and secrets of the request are redacted.
public struct ServerError: Hashable, Sendable, Described {
    public let code: String
    public let message: String?
    public let uri: String?

    static let maximumLength = 500

    init(code: String, message: String? = nil, uri: String? = nil, hiding secrets: [Secret] = []) {
        self.code = Self.clean(code, hiding: secrets)
        self.message = message.map { Self.clean($0, hiding: secrets) }
        self.uri = uri.map { Self.clean($0, hiding: secrets) }
    }

    package var summary: String {
        message.map { "\(code): \($0)" } ?? code
    }

    private static func clean(_ text: String, hiding secrets: [Secret]) -> String {
        Redactor(hiding: secrets).redact(text, limit: maximumLength).quotable(limit: maximumLength)
    }
}
