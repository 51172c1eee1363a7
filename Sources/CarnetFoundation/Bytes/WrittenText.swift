extension String {
    /// The name if the string is only a variable of a shell: `$NAME` or `${NAME}`.
    package var nameOfVariable: String? {
        guard hasPrefix("$") else { return nil }
        let isBraced = hasPrefix("${") && hasSuffix("}")
        let name = isBraced ? dropFirst(2).dropLast() : dropFirst()
        return String(name).isVariableName ? String(name) : nil
    }

    /// Why a client id or a secret is probably not what a person meant, after "it"; `nil` if it looks like any other.
    package var oddity: String? {
        let marks = [("${", "}"), ("$(", ")"), ("{{", "}}"), ("%", "%"), ("<", ">")]
        if nameOfVariable != nil { return "is the name of a variable" }
        if marks.contains(where: { hasPrefix($0) && hasSuffix($1) && count > 2 }) || contains("${") {
            return "has a variable or a placeholder"
        }
        if contains(where: \.isNewline) { return "has several lines" }
        if first?.isWhitespace == true || last?.isWhitespace == true { return "begins or ends with a space" }
        if count > 1, let mark = first, mark == last, "\"'".contains(mark) { return "has quotation marks around it" }
        return unicodeScalars.contains { $0.properties.generalCategory == .format } ? "has an invisible character" : nil
    }

    /// What to say of typographic quotation marks around a value, which YAML takes as a part of it; `nil` without them.
    package var adviceOnCurlyQuotes: String? {
        guard let mark = first(where: { "\u{201C}\u{201D}\u{201E}\u{2018}\u{2019}".contains($0) }) else { return nil }
        return "the quotation mark \(mark) belongs to the value: remove it, or write \" instead"
    }

    /// The text of a file that a person wrote, perhaps on another system: UTF-8 with or without a byte order mark, or UTF-16
    /// with one, as Windows PowerShell writes it. The mark is no part of the text.
    ///
    /// - Returns: `nil` for any other encoding. A replaced byte would make another secret or key.
    package init?(written bytes: [UInt8]) {
        func words(_ high: Int) -> [UInt16] {
            stride(from: 2, to: bytes.count - 1, by: 2).map { place in
                UInt16(bytes[place + high]) << 8 | UInt16(bytes[place + 1 - high])
            }
        }
        let text: String? =
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
                String(validating: bytes.dropFirst(3), as: UTF8.self)
            } else if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
                bytes.count % 2 == 0 ? String(validating: words(bytes[0] == 0xFE ? 0 : 1), as: UTF16.self) : nil
            } else {
                String(validating: bytes, as: UTF8.self)
            }
        // UTF-16 without a mark is valid UTF-8 with null bytes.
        guard let text, !text.utf8.contains(0) else { return nil }
        self = text
    }
}
