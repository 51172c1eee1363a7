/// A secret string: a token, a code, a code verifier, a client secret.
///
/// Its description is `[redacted]`. Only `reveal()` returns the string, so that each use can be found by its name.
/// Comparison takes constant time. It is `Codable` for stores that encrypt their records.
public struct Secret: Sendable, Hashable {
    private let text: String

    public init(_ text: String) {
        self.text = text
    }

    /// The string itself. Never pass it to a log, an error or a URL that it does not belong in.
    public func reveal() -> String { text }

    package var isEmpty: Bool { text.isEmpty }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        constantTimeEquals(lhs.text.utf8, rhs.text.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ContiguousArray(text.utf8))
    }
}

extension Secret: Codable {
    public init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension Secret: Redacted {
    package var summary: String { "[redacted]" }
}

/// Compares bytes in constant time. Only the lengths leak.
func constantTimeEquals(_ lhs: some Collection<UInt8>, _ rhs: some Collection<UInt8>) -> Bool {
    guard lhs.count == rhs.count else { return false }
    return zip(lhs, rhs).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}
