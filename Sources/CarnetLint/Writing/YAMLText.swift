import CarnetFoundation

/// Strings in YAML that people read.
package enum YAMLText {
    /// Between double quotes, with what a reader could not see written out.
    package static func quoted(_ text: String) -> String {
        TerminalText.replacing(JSONValue.string(text).jsonText()) { scalar in
            guard TerminalText.mustBeEscaped(scalar) else { return nil }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            let (mark, count) = scalar.value > 0xFFFF ? ("U", 8) : ("u", 4)
            return "\\" + mark + String(repeating: "0", count: count - digits.count) + digits
        }
    }

    /// Plain where nobody can take it for anything else.
    package static func plainOrQuoted(_ text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "_-./:+ ".utf8.contains($0) }
            && text.utf8.first.map { ASCII.isLetter($0) || $0 == UInt8(ascii: "/") } ?? false
            && !text.contains(": ") && !text.hasSuffix(":") && !text.hasSuffix(" ")
            && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
        return isPlain ? text : quoted(text)
    }
}
