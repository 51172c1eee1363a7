extension JSONValue {
    package enum Layout: Sendable {
        case compact
        case indented
    }

    /// The JSON text of the value; non-ASCII characters stand as themselves.
    package func jsonText(_ layout: Layout = .compact) -> String {
        var output = ""
        write(to: &output, layout: layout, indentation: "")
        return output
    }

    private func write(to output: inout String, layout: Layout, indentation: String) {
        switch self {
        case .null: output += "null"
        case .bool(let value): output += value ? "true" : "false"
        case .number(let text): output += text
        case .string(let text): Self.writeString(text, to: &output)
        case .array(let elements):
            Self.writeList(elements, "[", "]", to: &output, layout: layout, indentation: indentation) {
                element, output, indentation in
                element.write(to: &output, layout: layout, indentation: indentation)
            }
        case .object(let object):
            Self.writeList(object.members, "{", "}", to: &output, layout: layout, indentation: indentation) {
                member, output, indentation in
                Self.writeString(member.name, to: &output)
                output += layout == .indented ? ": " : ":"
                member.value.write(to: &output, layout: layout, indentation: indentation)
            }
        }
    }

    private static func writeList<Element>(
        _ elements: [Element],
        _ open: String,
        _ close: String,
        to output: inout String,
        layout: Layout,
        indentation: String,
        writeElement: (Element, inout String, String) -> Void
    ) {
        output += open
        let inner = indentation + "  "
        for (index, element) in elements.enumerated() {
            if index > 0 { output += "," }
            if layout == .indented { output += "\n" + inner }
            writeElement(element, &output, inner)
        }
        if layout == .indented, !elements.isEmpty { output += "\n" + indentation }
        output += close
    }

    private static func writeString(_ text: String, to output: inout String) {
        Work.count(text.utf8.count)
        output += "\""
        defer { output += "\"" }
        guard !text.utf8.allSatisfy(isPlain) else {
            output += text
            return
        }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\""
            case "\\": output += "\\\\"
            case "\n": output += "\\n"
            case "\r": output += "\\r"
            case "\t": output += "\\t"
            case "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}":
                let hex = String(scalar.value, radix: 16)
                output += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: output.unicodeScalars.append(scalar)
            }
        }
    }

    /// Whether a byte stands as itself, and is not a part of a character that might not.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
