import CarnetDescriptors

/// A server's own `error`, `error_description` and `error_uri` (RFC 6749, sections 4.1.2.1 and 5.2).
///
/// The words are untrusted: they are cut to a bounded length, control characters become spaces so that they cannot forge
/// a log line or drive a terminal, and the secrets that were sent are taken out again should the server repeat them.
public struct ServerWords: Hashable, Sendable, CustomStringConvertible {
    public let code: String
    public let message: String?
    public let uri: String?

    static let maximumLength = 500

    init(code: String, message: String? = nil, uri: String? = nil, hiding secrets: [Secret] = []) {
        self.code = Self.clean(code, hiding: secrets)
        self.message = message.map { Self.clean($0, hiding: secrets) }
        self.uri = uri.map { Self.clean($0, hiding: secrets) }
    }

    public var description: String {
        message.map { "\(code): \($0)" } ?? code
    }

    private static func clean(_ text: String, hiding secrets: [Secret]) -> String {
        var text = text
        for secret in secrets where !secret.isEmpty {
            for form in [secret.reveal(), PercentEncoding.encode(secret.reveal())] {
                text = text.split(separator: form, omittingEmptySubsequences: false).joined(separator: "[redacted]")
            }
        }
        var cleaned = ""
        for scalar in text.unicodeScalars.prefix(maximumLength) {
            // Format characters (bidirectional overrides, zero-width) can make a line read as something else.
            let isHarmless =
                scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
                && ![.format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
            cleaned.unicodeScalars.append(isHarmless ? scalar : " ")
        }
        return cleaned
    }
}
