import CarnetDescriptors
public import CarnetFoundation

/// A server's own `error`, `error_description` and `error_uri` (RFC 6749, sections 4.1.2.1 and 5.2).
///
/// The strings are untrusted. They are truncated, control characters become spaces so that they cannot forge a log
/// line or control a terminal, and secrets of the request, and what looks like a token, are redacted.
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

    package var summary: String { message.map { "\(code): \($0)" } ?? code }

    private static func clean(_ text: String, hiding secrets: [Secret]) -> String {
        // Some servers quote the record that they could not save, with tokens that nobody has received.
        Redactor(hiding: secrets).redact(withoutStatement(text), limit: maximumLength)
            .withoutTokens(of: { ASCII.isAlphanumeric($0) || $0 == 0x2D || $0 == 0x5F }) { run in
                run.contains { (0x41...0x5A).contains($0) } && run.contains { (0x61...0x7A).contains($0) }
            }
            .quotable(limit: maximumLength)
    }

    /// The string without the statement and the values of a row that a server could not write: a widespread library for
    /// databases puts both behind its message, so some servers send them.
    private static func withoutStatement(_ text: String) -> String {
        let starts = ["[SQL: ", "[parameters: "].compactMap { text.firstRange(of: $0)?.lowerBound }
        return starts.min().map { text[..<$0].trimming(\.isWhitespace) + " […]" } ?? text
    }

}
