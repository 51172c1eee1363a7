/// A part of an HTML page.
///
/// A literal is markup. A value that is interpolated into a literal is escaped, for the text of an element and for an
/// attribute in quotation marks; interpolated `HTML` is not. A string that is no literal cannot become markup.
package struct HTML: ExpressibleByStringInterpolation, Hashable, Sendable {
    package let text: String

    package init(stringLiteral literal: StaticString) { text = literal.description }

    package init(stringInterpolation parts: StringInterpolation) { text = String(decoding: parts.bytes, as: UTF8.self) }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var bytes: [UInt8] = []

        package init(literalCapacity: Int, interpolationCount: Int) { bytes.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ literal: StaticString) {
            literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
        }

        /// Escapes bytes, not characters: a quotation mark and a combining mark after it are one `Character`, but the
        /// quotation mark still ends an attribute.
        package mutating func appendInterpolation(_ value: String) {
            value.withBytes { value in
                var start = 0
                for (index, byte) in value.enumerated() {
                    guard let reference = Self.reference(byte) else { continue }
                    bytes.append(contentsOf: value[start..<index])
                    appendLiteral(reference)
                    start = index + 1
                }
                bytes.append(contentsOf: value[start...])
            }
        }

        package mutating func appendInterpolation(_ value: Int) { appendInterpolation(String(value)) }

        package mutating func appendInterpolation(_ part: HTML) { bytes.append(contentsOf: part.text.utf8) }

        package mutating func appendInterpolation(_ part: HTML?) { if let part { appendInterpolation(part) } }

        package mutating func appendInterpolation(_ parts: [HTML]) {
            for part in parts { appendInterpolation(part) }
        }

        package mutating func appendInterpolation(if condition: Bool, _ part: @autoclosure () -> HTML) {
            if condition { appendInterpolation(part()) }
        }

        /// The character reference for a byte that has a meaning in markup.
        private static func reference(_ byte: UInt8) -> StaticString? {
            switch byte {
            case UInt8(ascii: "&"): "&amp;"
            case UInt8(ascii: "<"): "&lt;"
            case UInt8(ascii: ">"): "&gt;"
            case UInt8(ascii: "\""): "&quot;"
            case UInt8(ascii: "'"): "&#39;"
            default: nil
            }
        }
    }
}
