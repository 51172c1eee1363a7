import CarnetFoundation

/// JSON in a form that YAML readers read as the same values at the same places.
///
/// JSON writes characters beyond U+FFFF as two escapes (RFC 8259, section 7), which are invalid in YAML, and allows
/// characters in strings that YAML does not (YAML 1.2.2, section 5.1).
enum JSONAsYAML {
    /// - Parameter source: The bytes of any file. Those of a file that begins with no brace stay as they are.
    static func bytes(_ source: [UInt8]) -> [UInt8] {
        let start = source.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let first = source[start...].first { ![0x09, 0x0A, 0x0D, 0x20].contains($0) }
        // Nearly all files have neither.
        guard first == UInt8(ascii: "{"), source.contains(where: { $0 == UInt8(ascii: "\\") || $0 >= 0x7F }) else {
            return source
        }
        var output = Array(source[..<start])
        output.reserveCapacity(source.count)
        var (isInString, missing, index) = (false, 0, start)
        while index < source.count {
            let byte = source[index]
            switch byte {
            case UInt8(ascii: "\""):
                isInString.toggle()
                output.append(byte)
                // What is behind the string stays in its column.
                if !isInString {
                    output += [UInt8](repeating: 0x20, count: missing)
                    missing = 0
                }
                index += 1
            case UInt8(ascii: "\\") where isInString:
                let escape = escape(source, at: index)
                output += escape.text
                missing += escape.length - escape.text.count
                index += escape.length
            case 0x7F...:
                let (text, length) = character(source, at: index)
                output += text
                index += length
            default:
                output.append(byte)
                index += 1
            }
        }
        return output
    }

    /// An escape, and its length in the source.
    private static func escape(_ source: [UInt8], at index: Int) -> (text: [UInt8], length: Int) {
        guard let unit = unit(source, at: index), (0xD800...0xDFFF).contains(unit) else {
            let length = min(2, source.count - index)
            return (Array(source[index..<(index + length)]), length)
        }
        guard unit < 0xDC00, let low = self.unit(source, at: index + 6), (0xDC00...0xDFFF).contains(low) else {
            return (Array("\\uFFFD".utf8), 6)
        }
        let scalar = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
        let digits = String(scalar, radix: 16, uppercase: true)
        return (Array(("\\U" + String(repeating: "0", count: 8 - digits.utf8.count) + digits).utf8), 12)
    }

    /// The code unit of an escape such as `\u00E9`.
    private static func unit(_ source: [UInt8], at index: Int) -> UInt32? {
        guard index + 6 <= source.count, source[index] == UInt8(ascii: "\\"), source[index + 1] == UInt8(ascii: "u"),
            source[(index + 2)..<(index + 6)].allSatisfy(ASCII.isHexDigit)
        else { return nil }
        return UInt32(String(decoding: source[(index + 2)..<(index + 6)], as: UTF8.self), radix: 16)
    }

    /// A character, or another of the same length for one that YAML does not allow, and its length.
    private static func character(_ source: [UInt8], at index: Int) -> (text: [UInt8], length: Int) {
        let next = source[index...].prefix(3)
        switch (next.first, next.dropFirst().first, next.dropFirst(2).first) {
        case (0x7F?, _, _): return ([0x20], 1)
        case (0xC2?, let second?, _) where second < 0xA0: return ([0xC2, 0xA0], 2)
        case (0xE2?, 0x80?, let third?) where third == 0xA8 || third == 0xA9: return ([0xE2, 0x80, 0xAF], 3)
        case (0xEF?, 0xBB?, 0xBF?), (0xEF?, 0xBF?, 0xBE?), (0xEF?, 0xBF?, 0xBF?): return ([0xEF, 0xBF, 0xBD], 3)
        default: return ([source[index]], 1)
        }
    }
}
