import CarnetDescriptors
import CarnetFoundation

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
        text.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(text.utf8.count)
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
    func areEqual(_ lhs: UnsafeBufferPointer<UInt8>, _ rhs: UnsafeBufferPointer<UInt8>) -> Bool {
        guard lhs.count == rhs.count else { return false }
        var difference: UInt8 = 0
        for index in lhs.indices { difference |= lhs[index] ^ rhs[index] }
        return difference == 0
    }
    let areEqualInPlace = lhs.withContiguousStorageIfAvailable { lhs in
        rhs.withContiguousStorageIfAvailable { areEqual(lhs, $0) }
    }
    if case .some(.some(let areEqual)) = areEqualInPlace { return areEqual }
    return Array(lhs).withUnsafeBufferPointer { lhs in Array(rhs).withUnsafeBufferPointer { areEqual(lhs, $0) } }
}
