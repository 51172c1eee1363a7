import CarnetFoundation

/// The id that selects a provider: at most 64 lower-case letters, digits and hyphens.
public struct ProviderID: RawRepresentable, Hashable, Sendable, Codable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && !text.hasPrefix("-")
            && text.utf8.allSatisfy { ASCII.isDigit($0) || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }
    }
}

extension ProviderID: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(rawValue: value) }
}

extension ProviderID: Comparable {
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension ProviderID: Described {
    package var summary: String { rawValue }
}

extension ProviderID: DescriptorValue {
    static var shape: Shape {
        .text("lower-case letters, digits and hyphens", pattern: "^[a-z0-9][a-z0-9-]{0,63}$")
    }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let text = String(node, &decoder) else { return nil }
        guard Self.isValid(text) else {
            decoder.report(
                .valueNotAllowed,
                "\"\(text)\" is not an id",
                at: node.span, help: "an id has at most 64 \(Self.shape)"
            )
            return nil
        }
        self.init(rawValue: text)
    }
}
