/// How the provider is shown to people.
package struct DisplayRules: DescriptorSection, Sendable {
    package internal(set) var color: BrandColor?

    static let keys: [Key<Self>] = [
        Key("color", \.color, "the brand colour, for the sign-in button")
    ]
}

/// An opaque colour (sRGB).
package struct BrandColor: Hashable, CustomStringConvertible, DescriptorValue, Sendable {
    package let red: UInt8
    package let green: UInt8
    package let blue: UInt8

    /// - Parameter text: Six hexadecimal digits behind `#`.
    package init?(_ text: String) {
        let digits = Array(text.utf8.dropFirst())
        guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6 else { return nil }
        let numbers = stride(from: 0, to: 6, by: 2).compactMap { index in
            UInt8(String(decoding: digits[index..<(index + 2)], as: UTF8.self), radix: 16)
        }
        // "+f" is a number and no pair of digits.
        guard numbers.count == 3, !digits.contains(UInt8(ascii: "+")) else { return nil }
        (red, green, blue) = (numbers[0], numbers[1], numbers[2])
    }

    /// In the syntax of style sheets.
    package var description: String {
        "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    package static var shape: Shape {
        .text("a colour such as \"#2457a6\", between quotes because # begins a comment", pattern: "^#[0-9a-fA-F]{6}$")
    }

    package init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let scalar = decoder.expect(node.written, node, Self.shape) else { return nil }
        guard let color = BrandColor(scalar.text) else {
            decoder.report(
                .valueNotAllowed, "\"\(scalar.text)\" is not a colour", at: node.span, help: "expected \(Self.shape)")
            return nil
        }
        self = color
    }
}
