/// Text from a file, made safe to print: a terminal must not obey it, and a reader must see what is there.
package enum TerminalText {
    /// The text with every control and invisible formatting character written out, e.g. `\u{1B}`.
    package static func escaped(_ text: some StringProtocol) -> String { replacing(text, escape) }

    /// The text with other texts for some of its scalars.
    static func replacing(_ text: some StringProtocol, _ other: (Unicode.Scalar) -> String?) -> String {
        var output = ""
        for scalar in text.unicodeScalars {
            if let other = other(scalar) { output += other } else { output.unicodeScalars.append(scalar) }
        }
        return output
    }

    /// The same, cut where it gets too long to be read: a message can quote a text of any length.
    static func sentence(_ text: String) -> String {
        let limit = 600
        return text.utf8.count <= limit ? escaped(text) : escaped(text.prefix(limit)) + "…"
    }

    package static func mustBeEscaped(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        // Right-to-left overrides and their like; the joiners are needed by scripts and emoji.
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        default: false
        }
    }

    /// - Returns: `nil` if a scalar can stay.
    static func escape(_ scalar: Unicode.Scalar) -> String? {
        mustBeEscaped(scalar) ? "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}" : nil
    }

    /// How many columns a character takes on a terminal.
    static func width(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if character.unicodeScalars.contains(where: { $0 == "\u{FE0F}" || $0.properties.isEmojiPresentation }) {
            return 2
        }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return isWide(first) ? 2 : 1
        }
    }

    package static func width(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + width($1) } }

    /// The wide and full-width ranges of Unicode's East Asian Width (UAX #11), without the emoji.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
