import CarnetFoundation

/// What parsers of other YAML versions read in a string without quotes.
enum PlainScalar {
    /// - Returns: `nil` if all read what Carnet reads.
    static func kind(of text: String) -> String? {
        guard let first = text.utf8.first, isSuspicious(first) else { return nil }
        // Nearly all strings that begin with such a letter are longer words.
        if text.utf8.count <= 3, booleans.contains(text) { return "a boolean" }
        guard text.utf8.count <= longest, !isLetter(first) else { return nil }
        return text.withBytes { numeric($0[...], of: text) }
    }

    /// The same for a key, which is always a string to Carnet.
    static func kind(ofKey text: String) -> String? {
        guard let first = text.utf8.first, isSuspicious(first) || "tTfFN~".utf8.contains(first) else { return nil }
        if let kind = kind(of: text) { return kind }
        if text.utf8.count <= 5, let kind = words[text] { return kind }
        return isDigit(first) && text.holds(UInt8(ascii: ".")) && JSONNumber.isValid(text.utf8) ? "a number" : nil
    }

    private static let longest = 256
    private static let booleans: Set<String> = [
        "y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF",
    ]
    private static let words = [
        "true": "a boolean", "True": "a boolean", "TRUE": "a boolean", "false": "a boolean", "False": "a boolean",
        "FALSE": "a boolean", "null": "nothing", "Null": "nothing", "NULL": "nothing", "~": "nothing",
    ]

    private static func isSuspicious(_ byte: UInt8) -> Bool { isDigit(byte) || "yYnNoO+-.=".utf8.contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func numeric(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, of text: String) -> String? {
        if text == "=" { return "the default of a mapping" }
        if isDate(bytes) { return "a date" }
        let isSigned = bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+")
        let digits = isSigned ? bytes.dropFirst() : bytes
        guard let first = digits.first else { return nil }
        let rest = digits.dropFirst()
        if first == UInt8(ascii: ".") {
            let name = String(decoding: rest, as: UTF8.self).lowercased()
            let isNumber =
                rest.first.map(isDigit) == true && rest.allSatisfy { isDigit($0) || "_eE+-".utf8.contains($0) }
            return name == "inf" || name == "nan" || isNumber ? "a number" : nil
        }
        guard isDigit(first) else { return nil }
        if first == UInt8(ascii: "0"), let base = rest.first, rest.count > 1, "xXoObB".utf8.contains(base) {
            let isNumber = rest.dropFirst().allSatisfy {
                isDigit($0) || (0x41...0x46).contains($0 & 0xDF) || $0 == 0x5F
            }
            return isNumber ? "a number" : nil
        }
        if rest.contains(UInt8(ascii: ":")) { return isSexagesimal(digits) ? "a number in base 60" : nil }
        guard digits.allSatisfy({ isDigit($0) || "_.eE+-".utf8.contains($0) }) else { return nil }
        guard JSONNumber.isValid(text.utf8) else {
            // `010`, `1_000`, `+1` and `1.`, but not `1.2.3` or `2026-11`.
            let dots = digits.count { $0 == UInt8(ascii: ".") }
            let hasSign = digits.contains { "+-".utf8.contains($0) }
            return dots <= 1 && !hasSign && !digits.contains { $0 | 0x20 == UInt8(ascii: "e") } ? "a number" : nil
        }
        // YAML 1.1 demands a point and a sign in front of the exponent.
        guard let e = digits.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { return nil }
        let hasPoint = digits[..<e].contains(UInt8(ascii: "."))
        return hasPoint && "+-".utf8.contains(digits[digits.index(after: e)]) ? nil : "a string"
    }

    /// `2026-11-21`, alone or with a time.
    private static func isDate(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard bytes.count >= 8, bytes.prefix(4).allSatisfy(isDigit) else { return false }
        let parts = bytes.split(separator: UInt8(ascii: "-"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, (1...2).contains(parts[1].count), parts[1].allSatisfy(isDigit)
        else { return false }
        let day = parts[2].prefix { isDigit($0) }
        let rest = parts[2].dropFirst(day.count)
        return (1...2).contains(day.count) && (rest.isEmpty || "Tt \t".utf8.contains(rest[rest.startIndex]))
    }

    private static func isSexagesimal(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let parts = digits.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return parts.dropFirst().enumerated().allSatisfy { index, part in
            let whole = index == parts.count - 2 ? part.prefix { $0 != UInt8(ascii: ".") } : part
            return (1...2).contains(whole.count) && whole.allSatisfy(isDigit)
                && (whole.count == 1 || whole[whole.startIndex] <= UInt8(ascii: "5"))
        } && parts[0].allSatisfy { isDigit($0) || $0 == UInt8(ascii: "_") }
    }
}
